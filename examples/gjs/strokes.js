// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The ten digits as a hand would draw them, for draw.js --script: each a list of strokes,
// each of these a list of points in a square of side 1, x to the right and y downwards.

function arc(x, y, rx, ry, from, to) {
    const n = 24;

    return Array.from({length: n + 1}, (_, i) => {
        const angle = (from + (to - from) * i / n) * Math.PI / 180;

        return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
    });
}

// Points on the way, as a pointer reports them.
function line(...corners) {
    return corners.flatMap(([x, y], i) => {
        if (i === 0)
            return [[x, y]];
        const [fromX, fromY] = corners[i - 1];

        return Array.from({length: 8}, (_, k) =>
            [fromX + (x - fromX) * (k + 1) / 8, fromY + (y - fromY) * (k + 1) / 8]);
    });
}

export const DIGITS = [
    [arc(0.5, 0.5, 0.26, 0.38, -80, 280)],
    [line([0.38, 0.26], [0.54, 0.12], [0.54, 0.88])],
    [[...arc(0.5, 0.33, 0.22, 0.21, -170, 40), ...line([0.62, 0.52], [0.28, 0.86], [0.76, 0.86])]],
    [[...arc(0.47, 0.3, 0.22, 0.18, -150, 90), ...arc(0.47, 0.67, 0.25, 0.19, -90, 150)]],
    [line([0.5, 0.12], [0.25, 0.56], [0.76, 0.56]), line([0.6, 0.4], [0.56, 0.9])],
    [line([0.7, 0.13], [0.37, 0.13], [0.33, 0.45]), arc(0.47, 0.64, 0.24, 0.23, -130, 140)],
    [[...line([0.62, 0.12], [0.4, 0.36], [0.31, 0.62]), ...arc(0.5, 0.68, 0.19, 0.19, 180, -180)]],
    [line([0.26, 0.14], [0.74, 0.14], [0.46, 0.88]), line([0.36, 0.5], [0.68, 0.5])],
    [[...arc(0.5, 0.31, 0.18, 0.19, 90, 450), ...arc(0.5, 0.69, 0.21, 0.19, -90, 270)]],
    [[...arc(0.5, 0.32, 0.2, 0.2, 0, -360), ...line([0.7, 0.32], [0.66, 0.6], [0.56, 0.88])]],
];
