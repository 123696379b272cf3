/* SPDX-License-Identifier: MIT */
/* ultrafilter._core: the extension module. What users see is the package around it. */
#include "host.h"

#include "describe.h"
#include "errors.h"
#include "filter.h"
#include "secret.h"

PyMODINIT_FUNC PyInit__core(void);

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "ultrafilter._core",
                                        "The library; use the package ultrafilter.",
                                        -1,
                                        describe_functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    if (errors_init() || filter_init(module) || secret_init(module) ||
        PyModule_AddStringConstant(module, "version", uf_version()))
        Py_CLEAR(module);
    return module;
}
