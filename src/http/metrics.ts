import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export class HttpMetrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'operation' | 'method' | 'status'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Histogram({
      name: 'sitefleet_http_request_seconds',
      help: 'Response time of requests in seconds, by operation, method and status.',
      labelNames: ['operation', 'method', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
      registers: [this.registry],
    });
  }

  observe(operation: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ operation, method, status: String(status) }, seconds);
  }

  gauge(name: string, help: string, read: () => number): void {
    const registers = [this.registry];
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  /** `read` returns the count since the start of the process. */
  counter(name: string, help: string, read: () => number): void {
    const registers = [this.registry];
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}
