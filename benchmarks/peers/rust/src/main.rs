// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The Rust crate of the same name as a peer: a process that does what it is told
// line by line (worker.py has the words). Skeletons are its plans that are made
// once and run many times; it knows float32 and workloads by name, and has one
// thread.

use candela::skeleton::{Skeleton, SkeletonPromise, SkeletonSlot};
use candela::{Dimension, Layout, Tensor};
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

type Slot = SkeletonSlot<f32>;
type Promise = SkeletonPromise<f32, candela::backend::DefaultBackend>;
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Cell {
    skeleton: Skeleton<f32>,
    inputs: Vec<Tensor<f32>>,
    result: Tensor<f32>,
}

fn load(path: &str) -> Outcome<Tensor<f32>> {
    let bytes = std::fs::read(path)?;
    let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = std::str::from_utf8(&bytes[10..10 + length])?;
    if !header.contains("'<f4'") {
        return Err("float32 only".into());
    }
    let shape = header.split('(').nth(1).and_then(|rest| rest.split(')').next()).ok_or("no shape")?;
    let dims: Vec<usize> = shape.split(',').filter_map(|word| word.trim().parse().ok()).collect();
    let data = bytes[10 + length..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    Ok(Tensor::from_vec(data, &dims))
}

fn save(tensor: &Tensor<f32>, path: &str) -> Outcome<()> {
    let dims: Vec<String> = tensor.shape().iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", dims.join(" "));
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for x in tensor.iter() {
        bytes.extend(x.to_le_bytes());
    }
    Ok(std::fs::write(path, bytes)?)
}

fn chain(x: &Slot, length: usize) -> Promise {
    let mut t = x * 1.01 + 0.01;
    for _ in 1..length / 2 {
        t = t * 1.01 + 0.01;
    }
    t
}

fn softmax(x: &Slot, axis: isize) -> Outcome<Promise> {
    let e = (x - x.max_axis(axis, true)?).exp();
    let sum = e.sum_axis(axis, true)?;
    Ok(e / sum)
}

fn layer_norm(x: &Slot, g: &Slot, b: &Slot) -> Outcome<Promise> {
    let d = x - x.mean_axis(-1, true)?;
    let variance = (&d * &d).mean_axis(-1, true)? + 1e-5;
    let deviation = (variance.ln() * 0.5).exp();
    Ok(d / deviation * g + b)
}

fn build(workload: &str, s: &[Slot]) -> Outcome<Promise> {
    Ok(match workload {
        "add" => &s[0] + &s[1],
        "muladd" => (&s[0] * &s[1] + &s[2]) * 2.0 - &s[3],
        "exp" => s[0].exp(),
        "tanh" => s[0].tanh(),
        "sigmoid" | "sigmoid composed" => {
            let t = (&s[0] * -1.0).exp() + 1.0;
            (t.ln() * -1.0).exp()
        }
        "chain of 20" => chain(&s[0], 20),
        "chain of 1000" => chain(&s[0], 1000),
        "sum all" => s[0].sum(),
        "sum axis 0" => s[0].sum_axis(0, false)?,
        "sum axis 1" | "sum middle axis" => s[0].sum_axis(1, false)?,
        "mean all" => s[0].mean(),
        "max axis 1" => s[0].max_axis(1, false)?,
        "softmax axis 1" => softmax(&s[0], 1)?,
        "softmax axis 0" => softmax(&s[0], 0)?,
        "layer norm" => layer_norm(&s[0], &s[1], &s[2])?,
        "transposed copy" => s[0].transpose().as_contiguous(),
        "matmul" | "matmul 8x4096x4096" | "matmul 4096x64x4096" | "matmul 64 of 128" => s[0].matmul(&s[1])?,
        "matmul transposed" => s[0].transpose().matmul(&s[1])?,
        _ => return Err("the crate has no such operation".into()),
    })
}

fn setup(words: &[&str]) -> Outcome<Cell> {
    let mut inputs = Vec::new();
    for word in &words[4..] {
        inputs.push(load(word.split_once('=').ok_or("bad input")?.1)?);
    }
    let slots: Vec<Slot> = inputs.iter().map(|x| SkeletonSlot::new(Layout::new(x.shape()))).collect();
    let skeleton = build(words[1], &slots)?.into_skeleton(&slots)?;
    let result = skeleton.run(&inputs.iter().collect::<Vec<_>>())?;
    Ok(Cell { skeleton, inputs, result })
}

fn measure(cell: &Cell, seconds: f64, count: usize) -> Outcome<String> {
    let inputs: Vec<&Tensor<f32>> = cell.inputs.iter().collect();
    let start = Instant::now();
    cell.skeleton.run(&inputs)?;
    let once = start.elapsed().as_nanos().max(1);
    let inner = (20000 / once).clamp(1, 10000) as u32;
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut answer = String::from("ok");
    let mut readings = 0;
    while readings < count || (Instant::now() < end && readings < 5000) {
        let start = Instant::now();
        for _ in 0..inner {
            std::hint::black_box(cell.skeleton.run(&inputs)?);
        }
        answer.push_str(&format!("\t{:.1}", start.elapsed().as_nanos() as f64 / inner as f64));
        readings += 1;
    }
    Ok(answer)
}

fn obey(words: &[&str], cell: &mut Option<Cell>) -> Outcome<String> {
    match words[0] {
        "setup" => {
            *cell = None;
            *cell = Some(setup(words)?);
            Ok("ok".into())
        }
        "run" => measure(cell.as_ref().ok_or("no workload")?, words[2].parse()?, words[3].parse()?),
        "save" => save(&cell.as_ref().ok_or("no workload")?.result, words[1]).map(|()| "ok".into()),
        word => Err(format!("not understood: {word}").into()),
    }
}

fn main() {
    let mut cell = None;
    println!("ok\t{}", "0.2");
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split('\t').collect();
        let answer = match obey(&words, &mut cell) {
            Ok(answer) => answer,
            Err(error) => format!("no\t{}", error.to_string().replace('\n', " ")),
        };
        println!("{answer}");
        let _ = io::stdout().flush();
    }
}
