import type { SimulatedSite } from '../../src/sandbox/index.ts';

/** A call that a site has seen. */
export type SeenCall = SimulatedSite['requests'][number];

/** How many of them were open at the same time, the most there were. */
export function mostAtOnce(calls: SeenCall[]): number {
  const end = ({ finishedAt }: SeenCall): number => finishedAt ?? Infinity;
  return Math.max(
    0,
    ...calls.map((one) => calls.filter(({ at, ...rest }) => at <= one.at && end({ at, ...rest }) > one.at).length),
  );
}

/** What each site was asked while the work was done. */
export async function callsOf(
  sites: readonly SimulatedSite[],
  work: () => Promise<unknown>,
  isMeant: (call: SeenCall) => boolean,
): Promise<SeenCall[][]> {
  const before = sites.map(({ requests }) => requests.length);
  await work();
  return sites.map(({ requests }, index) => requests.slice(before[index]).filter(isMeant));
}
