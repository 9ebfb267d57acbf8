import { FieldErrors } from '../../shared/fields.ts';
import type { Group, Settings } from './registry.ts';
import { isTimeZone } from './time-zone.ts';

type Rules = { readonly [G in Group]?: (settings: Settings<G>, errors: FieldErrors) => void };

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** What the fields of a group ask of each other, and of the machine; ranges and forms stand in the contract. */
const RULES: Rules = {
  'cost-tracker': ({ currency, thousand_separator: thousands, decimal_separator: decimal }, errors) => {
    errors
      .rule('currency', CURRENCIES.has(currency), 'must be a currency of ISO 4217 that is known here, such as EUR')
      .rule('thousand_separator', thousands !== decimal, 'must not be the sign that stands before decimals');
  },
  general: ({ timezone_string: zone }, errors) => {
    errors.rule('timezone_string', isTimeZone(zone), 'must be a time zone that is known here, such as Europe/Berlin');
  },
  monitoring: (settings, errors) => {
    const { svc_uptime_monitoring_timeout: timeout, svc_uptime_monitoring_keyword: keyword } = settings;
    const isSearch = settings.svc_uptime_monitoring_type === 'keyword';
    errors
      .rule('svc_uptime_monitoring_timeout', timeout === 0 || timeout >= 30, 'must be 0 or at least 30')
      .rule('svc_uptime_monitoring_keyword', !isSearch || keyword.trim() !== '', 'must not be empty for this type');
  },
};

/** Throws with every field by which a group would contradict itself. */
export function refuseContradictions<G extends Group>(group: G, settings: Settings<G>): void {
  const errors = new FieldErrors();
  RULES[group]?.(settings, errors);
  errors.refuse();
}
