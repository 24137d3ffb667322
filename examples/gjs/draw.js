// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A window in which a digit is drawn with the pointer, and told while it is drawn. The
// work is done on other threads: the main loop counts on, and the pen never sticks.
//
//   gjs -m draw.js
//   gjs -m draw.js --script 3 shot.png    draws a 3 by itself, saves the window, and ends

import Candela from 'gi://Candela?version=1.0';
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import System from 'system';

import {DIGITS} from './strokes.js';

const {asarray, expr} = Candela;
const PAPER = 320; // the side of what is drawn on, in pixels

// ---- The classifier ----

const here = Gio.File.new_for_uri(import.meta.url).get_parent();
const data = here.get_parent().get_child('data');
const load = name => asarray(Candela.npy_load(data.get_child(`digits-${name}.npy`)));

const images = load('images').astype('float32');
const oneHot = expr`astype(${load('labels')}[:, None] == arange(10), float32)`;

// The images that it learnt are 8 by 8 pixels, each the number of dark ones among 4 by 4 of a
// scan. So the strokes, as large as 32 by 32 allow and in the middle, are counted alike: a
// pixel is dark if it is near one of the lines that they are made of.
function scan(strokes) {
    const lines = strokes.flatMap(stroke => stroke.map((point, i) => [...stroke[Math.max(i - 1, 0)], ...point]));

    return expr`
        lines = reshape(astype(${asarray(lines)}, float32), [-1, 2, 2]);
        low = min(lines, axis=[0, 1]); high = max(lines, axis=[0, 1]);
        lines = (lines - (low + high) / 2) * (28 / max(maximum(high - low, 1))) + 16;
        from = lines[:, 0, :, None, None]; way = lines[:, 1, :, None, None] - from;
        x = arange(0.5, 32, dtype=float32); y = x[:, None];
        t = ((x - from[:, 0]) * way[:, 0] + (y - from[:, 1]) * way[:, 1]) / (sum(way ** 2, axis=1) + 0.001);
        t = clip(t, 0, 1);
        distance = (x - from[:, 0] - t * way[:, 0]) ** 2 + (y - from[:, 1] - t * way[:, 1]) ** 2;
        sum(reshape(astype(any(distance < 5, axis=0), float32), [8, 4, 8, 4]), axis=[1, 3])`;
}

// Each of the images has a say, the more the closer it is.
function probabilities(pixels) {
    return expr`softmax(sum((${images} - reshape(${pixels}, [64])) ** 2, axis=1) / ${-60}) @ ${oneHot}`;
}

// ---- The window ----

class Sketch {
    constructor(application) {
        this.strokes = [];
        this.pixels = new Array(64).fill(0);
        this.cancellable = null;
        this.ticks = 0;
        this.window = new Gtk.ApplicationWindow({application, title: 'Draw a digit', resizable: false});
        this.paper = this.area(PAPER, (cr, side) => this.drawPaper(cr, side));
        this.seen = this.area(64, (cr, side) => this.drawSeen(cr, side));
        this.answer = new Gtk.Label({label: ' ', cssClasses: ['answer'], hexpand: true});
        this.status = new Gtk.Label({xalign: 0, hexpand: true, cssClasses: ['dim']});
        this.spinner = new Gtk.Spinner();
        this.bars = Array.from({length: 10}, () => new Gtk.LevelBar({hexpand: true, valign: Gtk.Align.CENTER}));
        this.percents = this.bars.map(() => new Gtk.Label({widthChars: 6, xalign: 1, cssClasses: ['dim']}));
        this.layOut();
        this.listen();
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => {
            this.ticks++;
            this.tell();
            return GLib.SOURCE_CONTINUE;
        });
        this.show(null);
    }

    area(side, draw) {
        const area = new Gtk.DrawingArea({contentWidth: side, contentHeight: side, cssClasses: ['paper'],
            overflow: Gtk.Overflow.HIDDEN, valign: Gtk.Align.START, halign: Gtk.Align.CENTER});

        area.set_draw_func((_area, cr, width) => {
            draw(cr, width);
            cr.$dispose();
        });
        return area;
    }

    layOut() {
        const style = new Gtk.CssProvider();
        const grid = new Gtk.Grid({columnSpacing: 18, rowSpacing: 12, marginTop: 18, marginBottom: 18, marginStart: 18,
            marginEnd: 18});
        const top = new Gtk.Box({spacing: 18});
        const seen = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 4, valign: Gtk.Align.CENTER});
        const bars = new Gtk.Grid({columnSpacing: 10, rowSpacing: 4, widthRequest: 280});
        const bottom = new Gtk.Box({spacing: 10});
        const clear = new Gtk.Button({label: 'Clear'});

        style.load_from_file(here.get_child('draw.css'));
        Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style,
            Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION);
        seen.append(this.seen);
        seen.append(new Gtk.Label({label: '8 × 8', cssClasses: ['dim']}));
        top.append(seen);
        top.append(this.answer);
        this.bars.forEach((bar, digit) => {
            // A level bar changes its colours at these.
            ['low', 'high', 'full'].forEach(name => bar.remove_offset_value(name));
            bars.attach(new Gtk.Label({label: `${digit}`, cssClasses: ['digit']}), 0, digit, 1, 1);
            bars.attach(bar, 1, digit, 1, 1);
            bars.attach(this.percents[digit], 2, digit, 1, 1);
        });
        clear.connect('clicked', () => this.clear());
        [this.spinner, this.status, clear].forEach(child => bottom.append(child));
        grid.attach(this.paper, 0, 0, 1, 2);
        grid.attach(top, 1, 0, 1, 1);
        grid.attach(bars, 1, 1, 1, 1);
        grid.attach(bottom, 0, 2, 2, 1);
        this.window.set_child(grid);
    }

    listen() {
        const drag = new Gtk.GestureDrag();

        drag.connect('drag-begin', (_drag, x, y) => {
            this.start = [x, y];
            this.penDown(x, y);
        });
        drag.connect('drag-update', (_drag, x, y) => this.penMove(this.start[0] + x, this.start[1] + y));
        this.paper.add_controller(drag);
    }

    penDown(x, y) {
        this.strokes.push([[x, y]]);
        this.changed();
    }

    penMove(x, y) {
        this.strokes.at(-1).push([x, y]);
        this.changed();
    }

    clear() {
        this.strokes = [];
        this.cancellable?.cancel();
        this.pixels.fill(0);
        this.show(null);
    }

    // One run at a time: what is drawn meanwhile is looked at when it is over.
    async changed() {
        this.paper.queue_draw();
        this.stale = true;
        if (this.cancellable !== null)
            return;
        this.cancellable = new Gio.Cancellable();
        this.spinner.start();
        try {
            while (this.stale && this.strokes.length > 0) {
                this.stale = false;
                await this.classify(this.strokes, this.cancellable);
            }
        } catch (error) {
            if (!error.matches?.(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED))
                logError(error);
        }
        this.spinner.stop();
        this.cancellable = null;
    }

    async classify(strokes, cancellable) {
        const started = GLib.get_monotonic_time();
        const pixels = await scan(strokes).materialize(cancellable);
        const chances = await probabilities(pixels).materialize(cancellable);

        this.took = (GLib.get_monotonic_time() - started) / 1000;
        this.pixels = [...pixels.toTypedArray()];
        this.show([...chances.toTypedArray()]);
    }

    // ---- What is seen ----

    show(chances) {
        const best = chances === null ? -1 : chances.indexOf(Math.max(...chances));

        this.chances = chances;
        this.answer.label = best < 0 ? '?' : `${best}`;
        this.bars.forEach((bar, digit) => {
            const chance = chances === null ? 0 : Math.min(chances[digit], 1);

            bar.value = chance;
            bar.cssClasses = digit === best ? ['best'] : [];
            this.percents[digit].label = `${(100 * chance).toFixed(1)} %`;
        });
        this.seen.queue_draw();
        this.paper.queue_draw();
        this.tell();
    }

    tell() {
        this.status.label = `${this.chances === null ? 'Draw with the pointer' : `Told in ${this.took.toFixed(1)} ms`
        } · the main loop has ticked ${this.ticks} times`;
    }

    drawPaper(cr, side) {
        cr.setSourceRGB(0.14, 0.12, 0.19);
        cr.setLineWidth(side / 18);
        cr.setLineCap(1);
        cr.setLineJoin(1);
        for (const [[x, y], ...rest] of this.strokes) {
            cr.moveTo(x, y);
            cr.lineTo(x, y);
            rest.forEach(point => cr.lineTo(...point));
            cr.stroke();
        }
    }

    drawSeen(cr, side) {
        this.pixels.forEach((dark, i) => {
            cr.setSourceRGBA(0.14, 0.12, 0.19, dark / 16);
            cr.rectangle(i % 8 * side / 8, Math.floor(i / 8) * side / 8, side / 8, side / 8);
            cr.fill();
        });
    }

    // Whether there was a picture to save; there is none before the window has been drawn.
    save(path) {
        const snapshot = new Gtk.Snapshot();

        new Gtk.WidgetPaintable({widget: this.window}).snapshot(snapshot, this.window.get_width(),
            this.window.get_height());
        const picture = snapshot.to_node();

        return picture !== null && this.window.get_renderer().render_texture(picture, null).save_to_png(path);
    }
}

// ---- By itself ----

function pause(milliseconds) {
    return new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
        resolve(undefined);
        return GLib.SOURCE_REMOVE;
    }));
}

async function play(sketch, digit, path) {
    await pause(300);
    for (const [first, ...rest] of DIGITS[digit]) {
        sketch.penDown(...first.map(part => part * PAPER));
        for (const point of rest) {
            sketch.penMove(...point.map(part => part * PAPER));
            await pause(4);
        }
    }
    while (sketch.stale || sketch.cancellable !== null)
        await pause(10);
    const before = sketch.ticks;
    do
        await pause(200);
    while (!sketch.save(path));
    const best = sketch.chances.indexOf(Math.max(...sketch.chances));
    print(`${best}: ${(100 * sketch.chances[best]).toFixed(1)} %, ${sketch.ticks > before ? 'alive' : 'stuck'}`);
}

const application = new Gtk.Application({flags: Gio.ApplicationFlags.NON_UNIQUE});
let status = 0;

application.connect('activate', () => {
    const sketch = new Sketch(application);

    sketch.window.present();
    if (ARGV[0] === '--script') {
        play(sketch, Number(ARGV[1]), ARGV[2]).catch(error => {
            logError(error);
            status = 1;
        }).finally(() => application.quit());
    }
});
application.run([]);
System.exit(status);
