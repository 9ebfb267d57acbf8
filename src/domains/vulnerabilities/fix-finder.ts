import type { Knex } from 'knex';
import { ExposureRepository, type Advisory } from './exposure-repository.ts';
import type { SoftwareSlug } from './installed-software-repository.ts';
import { compareVersions, isAffected } from './versions.ts';
import { severityRankOf, type Severity } from './vulnerability.ts';

export interface KnownFix {
  /** Version to install. Null if no known version closes a vulnerability of the wanted severity. */
  version: string | null;
  closes: number[];
}

const NO_FIX: KnownFix = { version: null, closes: [] };

/**
 * Finds a fix for an installed version. Considers only later versions that the feeds name as patched, and that close a
 * vulnerability of at least the severity `least`. Returns the one with the fewest known vulnerabilities, and the lowest
 * if there are several.
 */
export function findFix(version: string, advisories: readonly Advisory[], least: Severity): KnownFix {
  const open = advisories.filter(({ ranges }) => isAffected(version, ranges));
  const later = open.flatMap(({ patched }) => patched.filter((each) => compareVersions(each, version) > 0));
  const fixes = [...new Set(later)]
    .sort(compareVersions)
    .map((candidate) => {
      const left = advisories.filter(({ ranges }) => isAffected(candidate, ranges));
      const closed = open.filter((advisory) => !left.includes(advisory));
      return { version: candidate, left: left.length, closed };
    })
    .filter(({ closed }) => closed.some(({ severity }) => severity >= severityRankOf(least)));
  const [first, ...others] = fixes;
  if (!first) return NO_FIX;
  const best = others.reduce((one, other) => (other.left < one.left ? other : one), first);
  return {
    version: best.version,
    closes: best.closed.map(({ vulnerabilityId }) => vulnerabilityId).sort((one, other) => one - other),
  };
}

export class FixFinder {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Loads the advisories of the slugs. The returned function compares each installed version once. */
  async load(
    slugs: readonly SoftwareSlug[],
  ): Promise<(software: SoftwareSlug & { version: string }, least: Severity) => KnownFix> {
    const distinct = [...new Map(slugs.map(({ type, slug }) => [keyOf({ type, slug }), { type, slug }])).values()];
    const advisories = new Map<string, Advisory[]>();
    for (const advisory of await new ExposureRepository(this.#knex).advisories(distinct)) {
      const known = advisories.get(keyOf(advisory));
      if (known) known.push(advisory);
      else advisories.set(keyOf(advisory), [advisory]);
    }
    const fixOf = new Map<string, KnownFix>();
    return (software, least) => {
      const key = JSON.stringify([keyOf(software), software.version, least]);
      const fix = fixOf.get(key) ?? findFix(software.version, advisories.get(keyOf(software)) ?? [], least);
      fixOf.set(key, fix);
      return fix;
    };
  }
}

const keyOf = ({ type, slug }: SoftwareSlug): string => `${type} ${slug}`;
