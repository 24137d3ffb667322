/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tanh and the normal distribution of float32 in pieces, each a polynomial in the distance
 * from the middle of the piece: for AVX-512, which takes one of 32 numbers for each lane in
 * one instruction. The coefficients are Sollya's (fpminimax, for the relative error, which
 * is about 2^-24 or less). */
#pragma once

typedef float Pieces32[32] __attribute__ ((aligned (64)));

/* The numbers of a row for the pieces, of which the last five bits count. */
#define PIECES32(row, piece) _mm512_permutex2var_ps (_mm512_load_ps (row), piece, _mm512_load_ps ((row) + 16))

/* clang-format off */

/* tanh from 0 up to 9.25. With u = t + 3/4, pieces are those of equal exponent and upper
 * three bits of the fraction of u, its bits from the 20th on, so that they are short where
 * tanh bends. In the first piece the polynomial is t + ..., so that small numbers are exact. */
static const Pieces32 tanh32_middle = {
  1.375f,   1.625f,   1.875f,   2.125f,   2.375f,   2.625f,   2.875f,   3.125f,
  3.5f,     4.0f,     4.5f,     5.0f,     5.5f,     6.0f,     6.5f,     7.0f,
  7.75f,    8.75f,    0,        0,        0,        0.09375f, 0.15625f, 0.21875f,
  0.3125f,  0.4375f,  0.5625f,  0.6875f,  0.8125f,  0.9375f,  1.0625f,  1.1875f,
};
static const Pieces32 tanh32_0 = {
  0x1.c278a6p-1f, 0x1.d9c6fcp-1f, 0x1.e8789ep-1f, 0x1.f1994ep-1f, 0x1.f73776p-1f, 0x1.faa794p-1f,
  0x1.fcc04cp-1f, 0x1.fe06ecp-1f, 0x1.ff112cp-1f, 0x1.ffa818p-1f, 0x1.ffdfa8p-1f, 0x1.fff41ap-1f,
  0x1.fffbap-1f,  0x1.fffe64p-1f, 0x1.ffff68p-1f, 0x1.ffffc8p-1f, 0x1.fffff4p-1f, 0x1.fffffep-1f,
  0,              0,              0,              0x1.7ee102p-4f, 0x1.3d6bc8p-3f, 0x1.b8fd04p-3f,
  0x1.35f98ap-2f, 0x1.a5729ep-2f, 0x1.05087p-1f,  0x1.3157ep-1f,  0x1.5789p-1f,   0x1.77d838p-1f,
  0x1.92bfb4p-1f, 0x1.a8dbccp-1f,
};
static const Pieces32 tanh32_1 = {
  0x1.cea7a6p-3f,  0x1.265e26p-3f,  0x1.6fcf48p-4f,  0x1.c65a64p-5f,  0x1.16a77p-5f,   0x1.54514p-6f,
  0x1.9e86d6p-7f,  0x1.f81a9cp-8f,  0x1.dd2454p-9f,  0x1.5f771p-10f,  0x1.02b3f4p-11f, 0x1.7cbec8p-13f,
  0x1.182718p-14f, 0x1.9c4224p-16f, 0x1.2f533ep-17f, 0x1.be5984p-19f, 0x1.8d5dd8p-21f, 0x1.ae3ea4p-24f,
  0,               0,               0x1p0f,          0x1.fb86b6p-1f,  0x1.f3b35ep-1f,  0x1.e842cap-1f,
  0x1.d1156ep-1f,  0x1.a945bap-1f,  0x1.7aeaeep-1f,  0x1.49e6cap-1f,  0x1.197fd8p-1f,  0x1.d834e4p-2f,
  0x1.86616ep-2f,  0x1.3ee738p-2f,
};
static const Pieces32 tanh32_2 = {
  -0x1.97123ep-3f,  -0x1.1068e2p-3f,  -0x1.5ee22cp-4f,  -0x1.b993d8p-5f,  -0x1.11d4dp-5f,   -0x1.50da9ep-6f,
  -0x1.9baef4p-7f,  -0x1.f6a698p-8f,  -0x1.dc34e6p-9f,  -0x1.5fbc66p-10f, -0x1.0386c6p-11f, -0x1.7f228p-13f,
  -0x1.1eac6p-14f,  -0x1.a6cd26p-16f, -0x1.1b59b4p-17f, -0x1.8be3d8p-19f, -0x1.00cf42p-20f, 0x1.af9034p-25f,
  0,                0,                0x1.8ed29p-18f,   -0x1.7b84p-4f,    -0x1.35d08ap-3f,  -0x1.a4891ep-3f,
  -0x1.19919p-2f,   -0x1.5e0b06p-2f,  -0x1.826472p-2f,  -0x1.897ddep-2f,  -0x1.79c868p-2f,  -0x1.5a9b14p-2f,
  -0x1.331928p-2f,  -0x1.08a24ep-2f,
};
static const Pieces32 tanh32_3 = {
  0x1.97154cp-4f,  0x1.33fb24p-4f,  0x1.a918dcp-5f,  0x1.166be8p-5f,  0x1.61adcp-6f,   0x1.b92036p-7f,
  0x1.1016bap-7f,  0x1.4d6edep-8f,  0x1.41457p-9f,   0x1.db0c02p-11f, 0x1.5e246cp-12f, 0x1.01c9d4p-13f,
  0x1.7b6ea8p-15f, 0x1.17321p-16f,  0x1.9ada1ap-18f, 0x1.2e4a7ap-19f, 0x1.1aaa4cp-21f, 0x1.31ea5ap-24f,
  0,               0,               -0x1.55ecbep-2f, -0x1.4951d4p-2f, -0x1.34fcd6p-2f, -0x1.182598p-2f,
  -0x1.c1331ap-3f, -0x1.16ed62p-3f, -0x1.bed2f4p-5f, 0x1.cd443p-7f,   0x1.05e856p-4f,  0x1.83237ap-4f,
  0x1.bcebc6p-4f,  0x1.c4a5eap-4f,
};
static const Pieces32 tanh32_4 = {
  -0x1.53f168p-6f,  -0x1.94c406p-6f,  -0x1.5ac8d8p-6f,  -0x1.ead86cp-7f,  -0x1.517794p-7f,  -0x1.940306p-8f,
  -0x1.1ee434p-8f,  -0x1.161cdap-9f,  -0x1.407ef8p-10f, -0x1.bfb3cap-12f, -0x1.30453ap-13f, -0x1.872072p-15f,
  -0x1.66eacp-19f,  -0x1.205832p-22f, -0x1.666d66p-17f, -0x1.8e97a6p-18f, 0x1.ce7b06p-22f,  -0x1.15d374p-21f,
  0,                0,                0x1.05902cp-6f,   0x1.d5da0cp-5f,   0x1.ac341ep-4f,   0x1.ff008ep-4f,
  0x1.42286cp-3f,   0x1.54ebeap-3f,   0x1.445cacp-3f,   0x1.eba982p-4f,   0x1.5f5dc4p-4f,   0x1.362664p-5f,
  0x1.26d70cp-6f,   -0x1.0a1baap-8f,
};

/* The probability that a standard normal number is below -t, for t up to 5.5. The pieces are
 * those of equal NORMAL32_STEPS t (t + 3), rounded, as the slope is about as steep as t. */
#define NORMAL32_STEPS 0.67f

static const Pieces32 normal32_middle = {
  0.1171875f,  0.42578125f, 0.78125f,    1.08984375f, 1.36328125f, 1.61328125f, 1.84375f,    2.0625f,
  2.265625f,   2.4609375f,  2.64453125f, 2.8203125f,  2.98828125f, 3.15234375f, 3.30859375f, 3.46484375f,
  3.609375f,   3.75390625f, 3.89453125f, 4.03125f,    4.1640625f,  4.296875f,   4.421875f,   4.546875f,
  4.66796875f, 4.7890625f,  4.90625f,    5.0234375f,  5.13671875f, 5.24609375f, 5.35546875f, 5.45703125f,
};
static const Pieces32 normal32_0 = {
  0x1.d03c7cp-2f,  0x1.572d46p-2f,  0x1.bd1654p-3f,  0x1.1a6698p-3f,  0x1.61e1c4p-4f,  0x1.b4f9acp-5f,
  0x1.0b23bp-5f,   0x1.40cccep-6f,  0x1.809a92p-7f,  0x1.c614b8p-8f,  0x1.0c0e4cp-8f,  0x1.3a6be2p-9f,
  0x1.6fb962p-10f, 0x1.a89532p-11f, 0x1.eb9a4ep-12f, 0x1.1627d2p-12f, 0x1.41d868p-13f, 0x1.6d1d3ap-14f,
  0x1.9cac2ep-15f, 0x1.d16886p-16f, 0x1.0641bep-16f, 0x1.229ea2p-17f, 0x1.4852d8p-18f, 0x1.6d657ep-19f,
  0x1.9847a2p-20f, 0x1.c1cbeep-21f, 0x1.f26656p-22f, 0x1.107cccp-22f, 0x1.2c3182p-23f, 0x1.4da0e4p-24f,
  0x1.6e82b6p-25f, 0x1.9fe42cp-26f,
};
static const Pieces32 normal32_1 = {
  -0x1.95b8bp-2f,   -0x1.751d9cp-2f,  -0x1.2d130ep-2f,  -0x1.c32682p-3f,  -0x1.42999p-3f,   -0x1.bcbd66p-4f,
  -0x1.2a9accp-4f,  -0x1.858fbep-5f,  -0x1.f5ff2ap-6f,  -0x1.3c670ep-6f,  -0x1.8c0856p-7f,  -0x1.e9f72cp-8f,
  -0x1.2cd14cp-8f,  -0x1.6b8dd8p-9f,  -0x1.b6eb34p-10f, -0x1.029024p-10f, -0x1.362706p-11f, -0x1.6c581cp-12f,
  -0x1.a995d6p-13f, -0x1.ef201ep-14f, -0x1.1f5184p-14f, -0x1.47a0cep-15f, -0x1.7bf98p-16f,  -0x1.b1da42p-17f,
  -0x1.f0ab0ap-18f, -0x1.18269ep-18f, -0x1.3d78ecp-19f, -0x1.62dbe4p-20f, -0x1.8f2bc6p-21f, -0x1.c478f2p-22f,
  -0x1.facadp-23f,  -0x1.24aa46p-23f,
};
static const Pieces32 normal32_2 = {
  0x1.7c650cp-6f,  0x1.3db788p-4f,  0x1.d66b88p-4f,  0x1.ebad9p-4f,   0x1.b7ca58p-4f,  0x1.66beep-4f,
  0x1.13470ep-4f,  0x1.91bc04p-5f,  0x1.1c55e4p-5f,  0x1.8552eep-6f,  0x1.05d48cp-6f,  0x1.597716p-7f,
  0x1.c1762p-8f,   0x1.1e82c2p-8f,  0x1.6b0d36p-9f,  0x1.bff116p-10f, 0x1.17dd1ep-10f, 0x1.55ed7cp-11f,
  0x1.9e5cacp-12f, 0x1.f2fd92p-13f, 0x1.2b1a2p-13f,  0x1.5ff11cp-14f, 0x1.a40c96p-15f, 0x1.ed2a5ep-16f,
  0x1.21cd22p-16f, 0x1.4f69dap-17f, 0x1.85657ap-18f, 0x1.bda5e6p-19f, 0x1.004d6p-19f,  0x1.28b68ep-20f,
  0x1.5342f2p-21f, 0x1.8f446ep-22f,
};
static const Pieces32 normal32_3 = {
  0x1.0ac2dap-4f,   0x1.974d26p-5f,   0x1.38dae8p-6f,   -0x1.c398e6p-8f,  -0x1.7129ecp-6f,  -0x1.db2a2ap-6f,
  -0x1.ddabf4p-6f,  -0x1.a6852ep-6f,  -0x1.59cef2p-6f,  -0x1.0aa1c6p-6f,  -0x1.8b9a3cp-7f,  -0x1.1bf2a2p-7f,
  -0x1.8d8fccp-8f,  -0x1.0ec1dcp-8f,  -0x1.6bd4d8p-9f,  -0x1.da42d2p-10f, -0x1.36df4ap-10f, -0x1.8d8064p-11f,
  -0x1.f67572p-12f, -0x1.3aa10ap-12f, -0x1.873b7ep-13f, -0x1.dcc7bap-14f, -0x1.25bf66p-14f, -0x1.63a9p-15f,
  -0x1.ae3d02p-16f, -0x1.000f04p-16f, -0x1.3131b2p-17f, -0x1.66544p-18f,  -0x1.a63a9p-19f,  -0x1.f40b4ap-20f,
  -0x1.2446fcp-20f, -0x1.5ef08ap-21f,
};
static const Pieces32 normal32_4 = {
  -0x1.812568p-8f, -0x1.27792cp-6f, -0x1.7450bap-6f, -0x1.27a214p-6f, -0x1.4cf08cp-7f, -0x1.7ed576p-9f,
  0x1.1ffaf2p-9f,  0x1.4f57bep-8f,  0x1.92c41ep-8f,  0x1.8c1588p-8f,  0x1.5c564ep-8f,  0x1.1cf86cp-8f,
  0x1.bcd928p-9f,  0x1.4bb06p-9f,   0x1.e0feeap-10f, 0x1.503b96p-10f, 0x1.d44e82p-11f, 0x1.3c8a74p-11f,
  0x1.a4fc88p-12f, 0x1.142a78p-12f, 0x1.661e54p-13f, 0x1.c6b744p-14f, 0x1.224a0ep-14f, 0x1.6c1ffap-15f,
  0x1.c7317p-16f,  0x1.17508ep-16f, 0x1.56f3cep-17f, 0x1.9e534p-18f,  0x1.f4e80ap-19f, 0x1.2ff16ap-19f,
  0x1.6c2072p-20f, 0x1.bee23cp-21f,
};
static const Pieces32 normal32_5 = {
  -0x1.39715ep-7f,  -0x1.8244b6p-8f,  0x1.5bc00cp-11f,  0x1.3ea7aap-8f,   0x1.77a246p-8f,   0x1.562c3ap-8f,
  0x1.db4d62p-9f,   0x1.be9facp-10f,  0x1.c18be6p-12f,  -0x1.1af6f8p-11f, -0x1.08f6e6p-10f, -0x1.29602ep-10f,
  -0x1.2977dap-10f, -0x1.02ebc8p-10f, -0x1.9b1202p-11f, -0x1.420c44p-11f, -0x1.e446c4p-12f, -0x1.60c3d2p-12f,
  -0x1.f5ca3ap-13f, -0x1.5eb03ep-13f, -0x1.d8aeccp-14f, -0x1.3f804cp-14f, -0x1.a36edp-15f,  -0x1.135f9cp-15f,
  -0x1.66f3eep-16f, -0x1.c449d2p-17f, -0x1.2060ep-17f,  -0x1.6a86eep-18f, -0x1.c0bc14p-19f, -0x1.1403dcp-19f,
  -0x1.5488aep-20f, -0x1.b41ddp-21f,
};

/* clang-format on */
