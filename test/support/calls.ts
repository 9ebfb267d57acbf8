import type { SimulatedSite } from '../../src/sandbox/index.ts';

/** A call that a site has received. */
export type RecordedCall = SimulatedSite['requests'][number];

/** Returns the largest number of calls that were open at the same time. */
export function maxConcurrentCalls(calls: RecordedCall[]): number {
  const end = ({ finishedAt }: RecordedCall): number => finishedAt ?? Infinity;
  return Math.max(
    0,
    ...calls.map((one) => calls.filter(({ at, ...rest }) => at <= one.at && end({ at, ...rest }) > one.at).length),
  );
}

/** Returns the calls that each site received during the work. */
export async function recordCalls(
  sites: readonly SimulatedSite[],
  work: () => Promise<unknown>,
  isMeant: (call: RecordedCall) => boolean,
): Promise<RecordedCall[][]> {
  const before = sites.map(({ requests }) => requests.length);
  await work();
  return sites.map(({ requests }, index) => requests.slice(before[index]).filter(isMeant));
}
