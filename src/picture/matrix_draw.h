/* The communication matrix: who sent how much to whom. */
#ifndef COLLPROF_PICTURE_MATRIX_DRAW_H
#define COLLPROF_PICTURE_MATRIX_DRAW_H

#include "picture/view.h"

enum picture_result matrix_draw(const struct profile *p, const char *path,
                                const struct picture_view *view);

#endif
