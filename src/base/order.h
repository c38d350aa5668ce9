/* Comparing for qsort() and its like, key by key: ORDER(x->a, y->a) ?: ORDER(x->b, y->b). */
#ifndef COLLPROF_BASE_ORDER_H
#define COLLPROF_BASE_ORDER_H

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
