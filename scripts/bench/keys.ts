import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PemKeyPair {
  keyId: string;
  publicKeyPem: string;
  privateKeyPem: string;
}

const POOL_SIZE = 16;
const FILE = join(tmpdir(), 'sitefleet-bench-keys.json');

/**
 * Returns a pool of real key pairs, which is stored between runs. A pair for each of 10,000 sites would take a quarter
 * of an hour.
 */
export function loadKeyPool(): PemKeyPair[] {
  if (existsSync(FILE)) return JSON.parse(readFileSync(FILE, 'utf8')) as PemKeyPair[];
  const pool = Array.from({ length: POOL_SIZE }, () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { keyId: createHash('sha256').update(publicKeyPem).digest('hex'), publicKeyPem, privateKeyPem };
  });
  // A process that reads the file at the same time finds the whole file or none.
  const own = `${FILE}.${process.pid}`;
  writeFileSync(own, JSON.stringify(pool), { mode: 0o600 });
  renameSync(own, FILE);
  return pool;
}

export const keyPairAt = (pool: PemKeyPair[], index: number): PemKeyPair => pool[index % pool.length] as PemKeyPair;
export const DASHBOARD_URL = 'http://bench.example/wp-admin/';
