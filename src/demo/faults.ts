import type { Fleet, SimulatedSite } from '../sandbox/index.ts';

interface PlantedFault {
  site: number;
  what: string;
  plant: (site: SimulatedSite) => void;
}

const updatesOf = (site: SimulatedSite): string[] =>
  [...site.state.plugins.values()].filter(({ update }) => update !== null).map(({ definition }) => definition.file);

/** One fault per site, so that a program can test each fault separately. All other sites work. */
const FAULTS: readonly PlantedFault[] = [
  {
    site: 3,
    what: 'is down: it refuses connections (`svc_site_unreachable`)',
    plant: (site) => (site.fault = { kind: 'refuse' }),
  },
  {
    site: 4,
    what: 'fails to download its updates of plugins (`svc_update_failed`)',
    plant: (site) => updatesOf(site).forEach((slug) => site.defects.failingPackages.add(slug)),
  },
  {
    site: 5,
    what: 'breaks after an update of a plugin: its home page answers 500, and a run by rings stops',
    plant: (site) => updatesOf(site).forEach((slug) => site.defects.breakingPage.set(slug, 500)),
  },
  {
    site: 6,
    what: 'answers slowly: after two seconds',
    plant: (site) => (site.fault = { kind: 'delay', ms: 2_000 }),
  },
  {
    site: 7,
    what: 'answers with a damaged message (`svc_site_bad_answer`)',
    plant: (site) => (site.fault = { kind: 'invalid-json' }),
  },
];

export function plantFaults({ sites }: Fleet): void {
  for (const { site, plant } of FAULTS) {
    const planted = sites[site - 1];
    if (planted) plant(planted);
  }
}

export const describeFaults = ({ sites }: Fleet): string =>
  [
    'Planted faults:',
    '',
    ...FAULTS.filter(({ site }) => sites[site - 1]).map(({ site, what }) => `  Site ${site} ${what}.`),
    '',
  ].join('\n');
