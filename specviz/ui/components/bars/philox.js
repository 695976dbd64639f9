// Pure: Philox4x32-10 (Salmon et al. 2011), the counter-based generator of the rain; philox.py is its twin.
// Throw number n of a seed is one block: counter (n low, n high, 0, 0), key (seed low, seed high). Its four words are
// the four uniforms of a throw: which column, how high, which hole, how high in the hole. No throw needs the one before.

function highProduct(a, b) {
  const al = a & 0xffff, ah = a >>> 16, bl = b & 0xffff, bh = b >>> 16;
  const low = (Math.imul(ah, bl) + (Math.imul(al, bl) >>> 16)) >>> 0;
  const middle = (Math.imul(al, bh) + (low & 0xffff)) >>> 0;
  return Math.imul(ah, bh) + (low >>> 16) + (middle >>> 16) | 0;
}

const WORD = 2 ** -32;

// One block into `out` (Uint32Array of 4). counter and key are 32-bit words.
function philox(out, c0, c1, c2, c3, k0, k1) {
  for (let round = 0; round < 10; round++) {
    const high0 = highProduct(0xd2511f53, c0), low0 = Math.imul(0xd2511f53, c0);
    const high1 = highProduct(0xcd9e8d57, c2), low1 = Math.imul(0xcd9e8d57, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = k0 + 0x9e3779b9 | 0;
    k1 = k1 + 0xbb67ae85 | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

function uniforms(seed, n) {
  const out = new Uint32Array(4);
  philox(out, n % 2 ** 32 | 0, n / 2 ** 32 | 0, 0, 0, seed % 2 ** 32 | 0, seed / 2 ** 32 | 0);
  return Array.from(out, (word) => word * WORD);
}
