// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a program for gjs finds: gjs itself, GTK 4 and what it needs.
import '@girs/gjs';
import '@girs/gjs/dom';
import '@girs/gio-2.0/ambient';
import '@girs/gtk-4.0/ambient';
