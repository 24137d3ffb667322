// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tests by name, as TAP. Which tests there are, and in what order, is said by the
// file test-list, for both languages: a test that is missing here, or that is not
// in the list, fails.

import GLib from 'gi://GLib';

const tests = new Map();

export function test(name, body) {
    tests.set(name, body);
}

export function equal(found, wanted) {
    if (found !== wanted && JSON.stringify(found) !== JSON.stringify(wanted))
        throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

export function check(condition, text = 'it does not hold') {
    if (!condition)
        throw new Error(text);
}

export function near(found, wanted, tolerance) {
    if (!(Math.abs(found - wanted) <= tolerance))
        throw new Error(`${found} is not near ${wanted}`);
}

// The error of that class that body() throws.
export function throws(kind, body) {
    let found;
    try {
        found = body();
    } catch (error) {
        if (error instanceof kind)
            return error;
        throw error;
    }
    throw new Error(`${found} instead of an error`);
}

function readText(path) {
    return new TextDecoder().decode(GLib.file_get_contents(path)[1]);
}

// What the process has in memory now.
export function residentBytes() {
    return Number(/VmRSS:\s*(\d+) kB/.exec(readText('/proc/self/status'))[1]) * 1024;
}

export function run() {
    const here = GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]);
    const names = readText(`${here}/test-list`).trim().split('\n');
    names.push(...[...tests.keys()].filter(name => !names.includes(name)));
    names.forEach((name, index) => {
        let problem = '';
        try {
            if (!tests.has(name))
                throw new Error('the test is missing in this language');
            tests.get(name)();
        } catch (error) {
            problem = `${error}\n${error.stack ?? ''}`.trim();
        }
        print(`${problem ? 'not ok' : 'ok'} ${index + 1} - ${name}`);
        for (const line of problem.split('\n').filter(text => text))
            print(`# ${line}`);
    });
    print(`1..${names.length}`);
}
