import { toIso } from '../../../shared/clock.ts';
import { daysLeft } from '../../ssl-monitor/index.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

export const sslmonitor = defineSegment({
  name: 'sslmonitor',
  tokens: { kind: 'sslmonitor' },
  async read(sources) {
    const record = await sources.certificate();
    if (!record) return emptySegmentContent();
    const { certificate, monitor, state, now } = record;
    return {
      ...emptySegmentContent(),
      source: 'ssl-monitor',
      summary: {
        name: certificate && (certificate.subject.CN ?? certificate.altNames[0] ?? null),
        issuer: certificate && (certificate.issuer.O ?? certificate.issuer.CN),
        valid_from: toIso(monitor.validFrom),
        valid_to: toIso(monitor.validTo),
        days_left: monitor.validTo === null ? null : daysLeft(monitor.validTo, now),
        status: state,
        last_check: toIso(monitor.lastCheckAt),
      },
    };
  },
});
