/* SPDX-License-Identifier: MIT */
#include "format.h"

#include <string.h>

#include "errors.h"

/* The letter, without byte order and count: "<q", "5s". 0 for anything that has more to it, such as records. */
static char letter(const char *format, int *swapped)
{
    int big = 0, little = 0;
    if (strchr("@=<>!^", format[0])) {
        big = format[0] == '>' || format[0] == '!';
        little = format[0] == '<';
        format++;
    }
    *swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? big : little;
    while (*format >= '0' && *format <= '9')
        format++;
    return format[0] && !format[1] ? format[0] : '\0';
}

static int refuse(const char *format)
{
    PyErr_Format(PyExc_TypeError,
                 "keys in an array are integers, fixed-width bytes or fixed-width str, and this one has the format "
                 "'%s': convert it",
                 format);
    return -1;
}

/* n rows of w bytes are n keys of w bytes. */
static int rows(const Py_buffer *view, char what, struct column *out)
{
    if (view->ndim != 2 || what != 'B' || view->strides[1] != 1) {
        (void)raise_invalid("an array of keys has one dimension, or two of unsigned bytes with a key in each row: this "
                            "one has %d",
                            view->ndim);
        return -1;
    }
    out->element = ELEMENT_BYTES;
    out->width = (size_t)view->shape[1];
    return 0;
}

int format_read(const Py_buffer *view, struct column *out)
{
    const char *format = view->format ? view->format : "B";
    char what = letter(format, &out->swapped);
    if (view->ndim < 1)
        return raise_invalid("an array of keys has one dimension, and this one has none"), -1;
    out->bytes = view->buf;
    out->stride = view->strides[0];
    out->count = (size_t)view->shape[0];
    out->width = (size_t)view->itemsize;
    if (view->ndim > 1)
        return rows(view, what, out);
    if (what && strchr("bhilqn", what))
        out->element = ELEMENT_SIGNED;
    else if (what && strchr("BHILQN", what))
        out->element = ELEMENT_UNSIGNED;
    else if (what == 's')
        out->element = ELEMENT_PADDED;
    else if (what == 'w')
        out->element = ELEMENT_UCS4;
    else if (what == 'x')
        out->element = ELEMENT_BYTES;
    else
        return refuse(format);
    return 0;
}
