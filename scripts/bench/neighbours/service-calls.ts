import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchService } from '../processes.ts';

export interface ServiceCall {
  method: string;
  path: string;
  body?: string | Buffer | undefined;
  contentType?: string | undefined;
  /** Default: the administrator of the service. */
  authorization?: string | undefined;
}

export interface ServiceReply {
  status: number;
  pages: number;
  json: Record<string, unknown> | null;
}

const MAX_PARSED = 64 * 1024;
/** A call to all sites ends after 60 s. */
const LONGEST_CALL_MS = 75_000;

/** A call without a complete response has the status 0, and the reason as its error code. */
const failed = (code: string): ServiceReply => ({ status: 0, pages: 0, json: { code } });

export const isSuccess = ({ status }: Pick<ServiceReply, 'status'>): boolean => status >= 200 && status < 400;

/** Sends a call and reads the whole response. Only a short response is kept. */
export function send(
  service: BenchService,
  { method, path, body, contentType, authorization = service.authorization }: ServiceCall,
): Promise<ServiceReply> {
  const headers = {
    authorization,
    ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(LONGEST_CALL_MS);
    const fail = (error: Error): void =>
      resolve(failed(signal.aborted ? `no response within ${LONGEST_CALL_MS / 1_000} s` : error.message));
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

/**
 * Waits for a job for a time, then cancels it, and returns when none of its items is running. Returns false if the job
 * was canceled or did not end.
 */
export async function settleJob(service: BenchService, id: string, forMs: number, pollMs = 50): Promise<boolean> {
  const path = `/api/v2/jobs/${encodeURIComponent(id)}`;
  const job = { method: 'GET', path: `${path}?per_page=1` };
  let isCancelled = false;
  for (const began = performance.now(); performance.now() - began < forMs + 60_000;) {
    const { json, status } = await send(service, job);
    const { completed_at: completedAt } = (json?.['data'] ?? {}) as { completed_at?: string | null };
    if (status !== 200 || completedAt !== null) return status === 200 && !isCancelled;
    if (!isCancelled && performance.now() - began > forMs) {
      await send(service, { method: 'DELETE', path });
      isCancelled = true;
    }
    await sleep(pollMs);
  }
  return false;
}
