/* SPDX-License-Identifier: MIT */
/* Folders that a command writes several files into. */
#ifndef LAB_FOLDER_H
#define LAB_FOLDER_H

/* Makes it when it is not there, and sees that files can be written. EXIT_FINE, or EXIT_ERROR after a message. */
int folder_prepare(const char *folder);

#endif
