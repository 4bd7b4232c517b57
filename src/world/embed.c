/* The knowledge base in .rodata.  KB_IMAGE names the file; the assembler reads it, which is quick
 * at any size. */
#include "world/image.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global faultline_image_begin\n"
        "faultline_image_begin:\n"
        ".incbin \"" KB_IMAGE "\"\n"
        ".global faultline_image_end\n"
        "faultline_image_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char faultline_image_begin[], faultline_image_end[];

struct str image_embedded(void) {
    return (struct str){faultline_image_begin,
                        (size_t)(faultline_image_end - faultline_image_begin)};
}
