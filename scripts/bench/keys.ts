import { createHash, createPrivateKey, createPublicKey, generatePrimeSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PemKeyPair {
  keyId: string;
  publicKeyPem: string;
  privateKeyPem: string;
}

export interface KeyPool {
  readonly primes: readonly bigint[];
  readonly pairs: Map<number, PemKeyPair>;
}

/** Two primes make a key, so these make 11,175 different keys. */
const PRIMES = 150;
const PRIME_BITS = 1024;
const EXPONENT = 65_537n;
const FILE = join(tmpdir(), 'sitefleet-bench-primes.json');

/**
 * Returns a pool of real RSA keys of 2,048 bits. Its primes are stored between runs. Keys that share primes are not
 * secret, but a search for the primes of 10,000 sites would take a quarter of an hour.
 */
export function loadKeyPool(): KeyPool {
  const stored = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as string[]) : storePrimes();
  return { primes: stored.map((hex) => BigInt(`0x${hex}`)), pairs: new Map() };
}

function storePrimes(): string[] {
  const primes = new Set<bigint>();
  while (primes.size < PRIMES) {
    const prime = generatePrimeSync(PRIME_BITS, { bigint: true });
    // The exponent of such a prime has no inverse.
    if (prime % EXPONENT !== 1n) primes.add(prime);
  }
  const stored = [...primes].map((prime) => prime.toString(16));
  // A process that reads the file at the same time finds the whole file or none.
  const own = `${FILE}.${process.pid}`;
  writeFileSync(own, JSON.stringify(stored), { mode: 0o600 });
  renameSync(own, FILE);
  return stored;
}

/** Returns the key pair of a site. The first 11,175 sites have different ones. */
export function keyPairAt(pool: KeyPool, index: number): PemKeyPair {
  const known = pool.pairs.get(index);
  if (known) return known;
  const privateKey = privateKeyAt(pool, index);
  const publicKeyPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const pair = {
    keyId: createHash('sha256').update(publicKeyPem).digest('hex'),
    publicKeyPem,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  pool.pairs.set(index, pair);
  return pair;
}

export function privateKeyAt({ primes }: KeyPool, index: number): KeyObject {
  const [p, q] = primesAt(primes, index);
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: base64url(p * q),
      e: base64url(EXPONENT),
      d: base64url(d),
      p: base64url(p),
      q: base64url(q),
      dp: base64url(d % (p - 1n)),
      dq: base64url(d % (q - 1n)),
      qi: base64url(inverse(q, p)),
    },
  });
}

/** Returns the two primes of a place in the order (1, 0), (2, 0), (2, 1), (3, 0) … */
function primesAt(primes: readonly bigint[], index: number): [bigint, bigint] {
  const place = index % ((primes.length * (primes.length - 1)) / 2);
  const larger = Math.floor((1 + Math.sqrt(1 + 8 * place)) / 2);
  return [primes[larger] as bigint, primes[place - (larger * (larger - 1)) / 2] as bigint];
}

/** Extended Euclidean algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [value % modulus, modulus];
  let [factor, nextFactor] = [1n, 0n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}

function base64url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}

export const DASHBOARD_URL = 'http://bench.example/wp-admin/';
