/* A program built without an image: the bootstrap compiler. */
#include "world/image.h"

struct str image_embedded(void) {
    return (struct str){0};
}
