#include "think/distribution.h"

#include "text/chars.h"

struct str distribution_of_module(struct str module) {
    /* an empty right side: pip has none that would help */
    static const char rows[][2][24] = {
        {"cv2", "opencv-python"},
        {"PIL", "Pillow"},
        {"sklearn", "scikit-learn"},
        {"skimage", "scikit-image"},
        {"yaml", "PyYAML"},
        {"bs4", "beautifulsoup4"},
        {"dateutil", "python-dateutil"},
        {"dotenv", "python-dotenv"},
        {"git", "GitPython"},
        {"google", "protobuf"},
        {"grpc", "grpcio"},
        {"zmq", "pyzmq"},
        {"pynvml", "nvidia-ml-py"},
        {"pkg_resources", "setuptools"},
        {"distutils", "setuptools"},
        {"faiss", "faiss-cpu"},
        {"hydra", "hydra-core"},
        {"megatron", "megatron-core"},
        {"nemo", "nemo-toolkit"},
        {"flash_attn", "flash-attn"},
        {"flash_attn_2_cuda", "flash-attn"},
        {"flash_attn_cuda", "flash-attn"},
        {"selective_scan_cuda", "mamba-ssm"},
        {"causal_conv1d_cuda", "causal-conv1d"},
        {"torch_scatter", "torch-scatter"},
        {"apex", ""},
        {"apex_C", ""},
        {"amp_C", ""},
        {"syncbn", ""},
        {"rotary_emb", ""},
        {"dropout_layer_norm", ""},
        {"fused_layer_norm_cuda", ""},
        {"fused_dense_cuda", ""},
        {"transformer_engine_torch", ""},
        {"_lzma", ""},
        {"_ctypes", ""},
        {"_bz2", ""},
        {"_sqlite3", ""},
        {"_tkinter", ""},
        {"utils", ""},
        {"util", ""},
        {"models", ""},
        {"model", ""},
        {"data", ""},
        {"dataset", ""},
        {"src", ""},
        {"lib", ""},
        {"core", ""},
        {"common", ""},
        {"config", ""},
        {"configs", ""},
        {"tools", ""},
        {"scripts", ""},
        {"train", ""},
        {"trainer", ""},
        {"training", ""},
        {"modules", ""},
        {"layers", ""},
    };
    struct str rest = module, first = {0};
    str_split(&rest, '.', &first);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_eq(first, str_of(rows[i][0]))) return str_of(rows[i][1]);
    return first;
}

struct str module_of_path(struct str text) {
    const struct str folders[] = {STR("site-packages/"), STR("dist-packages/")};
    struct str module = {0};
    for (size_t f = 0; f < COUNT_OF(folders); f++)
        for (ptrdiff_t at; (at = str_find(text, folders[f], 0)) >= 0;) {
            text = str_sub(text, (size_t)at + folders[f].n, text.n);
            size_t n = 0;
            while (is_word(byte_at(text, n))) n++;
            module = str_sub(text, 0, n);
        }
    return module;
}
