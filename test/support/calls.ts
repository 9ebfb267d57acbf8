import type { SimulatedSite } from '../../src/sandbox/index.ts';

/** A call that a site has seen. */
export type RecordedCall = SimulatedSite['requests'][number];

/** How many of them were open at the same time, the most there were. */
export function maxConcurrentCalls(calls: RecordedCall[]): number {
  const end = ({ finishedAt }: RecordedCall): number => finishedAt ?? Infinity;
  return Math.max(
    0,
    ...calls.map((one) => calls.filter(({ at, ...rest }) => at <= one.at && end({ at, ...rest }) > one.at).length),
  );
}

/** What each site was asked while the work was done. */
export async function recordCalls(
  sites: readonly SimulatedSite[],
  work: () => Promise<unknown>,
  isMeant: (call: RecordedCall) => boolean,
): Promise<RecordedCall[][]> {
  const before = sites.map(({ requests }) => requests.length);
  await work();
  return sites.map(({ requests }, index) => requests.slice(before[index]).filter(isMeant));
}
