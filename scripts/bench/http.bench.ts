import { operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { compareLoads, describeLoads, type ComparedLoad } from './load.ts';
import { startScript } from './processes.ts';
import { addFigure } from './report.ts';

const BYTES = '{"filler":""}'.length + 1000;
const authorization = 'Bearer bench';

/**
 * Measures the cost of the contract middleware: handlers that return a constant, compared with a constant of the same
 * size in stock Express.
 */
export async function http(): Promise<void> {
  const [bare, service] = await Promise.all([
    startScript('bare-express.ts', [String(BYTES)]),
    startScript('constant-service.ts'),
  ]);
  try {
    const reads = operationsOf(readContract('abilities')).filter(
      ({ item, verb, operation }) =>
        item['x-ability'] && verb === 'get' && !JSON.stringify(operation.parameters).includes('"required":true'),
    );
    const url = (place: { path: string } | undefined): string => `${service.url}/abilities/v1${place?.path}`;
    const [first, last] = [reads[0], reads.at(-1)];
    addFigure({
      name: 'slowest first answer of any operation',
      value: await slowestFirstResponseMs(service.url),
      unit: 'ms',
      must: { limit: 150, better: 'lower' },
    });
    const [express, constant, lastPath] = (await compareLoads([
      { process: bare, url: bare.url },
      { process: service, url: url(first), authorization },
      { process: service, url: url(last), authorization },
    ])) as [ComparedLoad, ComparedLoad, ComparedLoad];
    addFigure({
      name: 'validated GET of a constant',
      value: constant.ratio,
      unit: 'ratio',
      baseline: describeLoads('stock Express', express, constant),
      must: { limit: 1.1, better: 'higher' },
      aim: 1.3,
    });
    addFigure({
      name: 'last path of the contract',
      value: lastPath.ratio / constant.ratio,
      unit: 'ratio',
      baseline: 'first path',
      must: { limit: 0.8, better: 'higher' },
      aim: 0.95,
    });
  } finally {
    await Promise.all([bare.stop(), service.stop()]);
  }
}

/** Calls each operation once. Its first call compiles the validators. */
async function slowestFirstResponseMs(base: string): Promise<number> {
  let slowest = 0;
  for (const surface of ['abilities', 'v2'] as const) {
    const contract = readContract(surface);
    for (const { path, verb } of operationsOf(contract)) {
      const began = performance.now();
      const response = await fetch(base + (contract.servers[0]?.url ?? '') + path.replace(/\{\w+\}/g, 'x'), {
        method: verb.toUpperCase(),
        headers: { authorization, 'content-type': 'application/json' },
        ...(verb === 'get' || verb === 'delete' ? {} : { body: '{}' }),
      });
      await response.arrayBuffer();
      slowest = Math.max(slowest, performance.now() - began);
    }
  }
  return slowest;
}
