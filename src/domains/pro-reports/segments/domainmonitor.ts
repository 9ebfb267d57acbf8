import { toIso } from '../../../shared/clock.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

export const domainmonitor = defineSegment({
  name: 'domainmonitor',
  // Many registries give these dates without a time of day.
  tokens: { kind: 'domainmonitor', dates: ['creation_date', 'updated_date', 'expiry_date'] },
  async read(sources) {
    const profile = await sources.domain();
    if (!profile) return emptySegmentContent();
    const { domainName, facts, daysLeft, state, checkedAt, stored: known } = profile;
    return {
      ...emptySegmentContent(),
      source: 'domain-monitor',
      summary: {
        domain_name: domainName,
        registrar: facts.registrar,
        creation_date: toIso(facts.createdAt),
        updated_date: toIso(facts.updatedAt),
        expiry_date: toIso(known.expiresAt),
        days_left: daysLeft,
        status: state,
        last_check: toIso(checkedAt),
      },
    };
  },
});
