/* SPDX-License-Identifier: MIT */
/* ultrafilter._core: the extension module. What users see is the package around it. */
#include "host.h"

#include "describe.h"
#include "errors.h"
#include "filter.h"
#include "secret.h"

PyMODINIT_FUNC PyInit__core(void);

/* Types and exceptions are those of one interpreter: another one of the process would share its objects. */
static int start(PyObject *module)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "ultrafilter works in the main interpreter of a process only: use it there, or "
                        "start another process");
        return -1;
    }
    if (errors_init() || filter_init(module) || secret_init(module))
        return -1;
    return PyModule_AddStringConstant(module, "version", uf_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)start}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "ultrafilter._core",
                                        "The library; use the package ultrafilter.",
                                        0,
                                        describe_functions,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
