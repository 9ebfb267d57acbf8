import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchService } from '../processes.ts';

export interface ServiceCall {
  method: string;
  path: string;
  body?: string | Buffer | undefined;
  contentType?: string | undefined;
}

export interface ServiceReply {
  status: number;
  pages: number;
  json: Record<string, unknown> | null;
}

const MAX_PARSED = 64 * 1024;
/** A caller of a fleet of sites that takes longer disconnects. Status 0 stands for that. */
const LONGEST_CALL_MS = 20_000;
const LEFT: ServiceReply = { status: 0, pages: 0, json: null };

/** Sends a call and reads the whole response. Only a short response is kept. */
export function send(service: BenchService, { method, path, body, contentType }: ServiceCall): Promise<ServiceReply> {
  const headers = {
    authorization: service.authorization,
    ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LONGEST_CALL_MS);
    const fail = (error: Error): void => (signal.aborted ? resolve(LEFT) : reject(error));
    const request = httpRequest(service.url + path, { method, headers, signal }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= MAX_PARSED) parts.push(part);
      });
      response.on('error', fail);
      response.on('end', () => {
        const text = size <= MAX_PARSED ? Buffer.concat(parts).toString('utf8') : '';
        const pages = Number(response.headers['x-wp-totalpages'] ?? 0);
        resolve({ status: response.statusCode ?? 0, pages, json: parse(text) });
      });
    });
    request.on('error', fail);
    request.end(body);
  });
}

function parse(text: string): ServiceReply['json'] {
  try {
    return JSON.parse(text) as ServiceReply['json'];
  } catch {
    return null;
  }
}

/** Waits for a job for a time, then cancels it, and returns when none of its items is running. */
export async function settleJob(service: BenchService, id: string, forMs: number): Promise<void> {
  const path = `/api/v2/jobs/${encodeURIComponent(id)}`;
  const job = { method: 'GET', path: `${path}?per_page=1` };
  let isCancelled = false;
  for (const began = performance.now(); performance.now() - began < forMs + 60_000;) {
    const { json, status } = await send(service, job);
    const { completed_at: completedAt } = (json?.['data'] ?? {}) as { completed_at?: string | null };
    if (status !== 200 || completedAt !== null) return;
    if (!isCancelled && performance.now() - began > forMs) {
      await send(service, { method: 'DELETE', path });
      isCancelled = true;
    }
    await sleep(50);
  }
}
