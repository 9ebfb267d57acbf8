import { isLanguageTag, LANGUAGE_TAGS } from '../../languages/index.ts';
import { hasAtMostDecimals } from '../../shared/decimal.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { normalizeMailAddress } from '../../shared/mail-address.ts';
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../shared/mailbox.ts';
import { haveSameOrigin, parseUrl } from '../../shared/url.ts';
import { isCurrency } from './currency.ts';
import type { MoneyFormat } from './formats.ts';
import { applySettingChanges, DEFAULTS, parseSettingsPatch } from './group-values.ts';
import { isAcceptedPicture, PICTURE_RULE } from './picture-check.ts';
import type { SettingsGroupName, Settings, SettingsPatch } from './settings-registry.ts';
import { isTimeZone } from './time-zone.ts';

type Rules = { readonly [G in SettingsGroupName]?: (settings: Settings<G>, errors: FieldErrors) => void };

export const SHORTEST_TIMEOUT = 30;
export const TIMEOUT_RULE = `must be 0 or at least ${SHORTEST_TIMEOUT}`;

export const isAllowedTimeout = (seconds: number): boolean => seconds === 0 || seconds >= SHORTEST_TIMEOUT;

function checkMoneyFormat(form: MoneyFormat, errors: FieldErrors): void {
  const { currency, thousand_separator: thousands, decimal_separator: decimal } = form;
  errors
    .require('currency', isCurrency(currency), 'must be a supported ISO 4217 currency such as EUR')
    .require('thousand_separator', thousands !== decimal, 'must not be the decimal separator');
}

const FEW_DECIMALS = 'must have at most eight decimals';
const hasFewDecimals = (price: number): boolean => hasAtMostDecimals(price, 8);

/** Rules in addition to the ranges and patterns of the contract. Some compare fields or depend on this system. */
const RULES: Rules = {
  'cost-tracker': checkMoneyFormat,
  'time-tracker': (settings, errors) => {
    checkMoneyFormat(settings, errors);
    errors.require('default_hourly_price', hasFewDecimals(settings.default_hourly_price), FEW_DECIMALS);
  },
  general: ({ timezone_string: zone, mail_from_name: name, mail_reply_to: replyTo }, errors) => {
    const isAddress = !hasControlCharacter(replyTo) && normalizeMailAddress(replyTo) !== null;
    errors
      .require('mail_from_name', !hasControlCharacter(name), NO_CONTROL_CHARACTERS)
      .require('timezone_string', isTimeZone(zone), 'must be a supported time zone such as Europe/Berlin')
      .require('mail_reply_to', replyTo === '' || isAddress, 'must be an e-mail address');
  },
  'pro-reports': ({ agency_logo: logo, language }, errors) => {
    errors
      .require('agency_logo', logo === '' || isAcceptedPicture(logo), PICTURE_RULE)
      .require('language', isLanguageTag(language), `must be one of ${LANGUAGE_TAGS.join(', ')}`);
  },
  vulnerabilities: ({ wordfence_url: wordfence, osv_sources: osv }, errors) => {
    const demand =
      'must be an http or https URL without a user and password, or a relative path without .. in SITEFLEET_FEED_DIR';
    errors.require('wordfence_url', isFeedPlace(wordfence), demand);
    for (const [index, location] of osv.entries())
      errors.require(`osv_sources.${index}`, isFeedPlace(location), demand);
  },
  monitoring: (settings, errors) => {
    const { svc_uptime_monitoring_timeout: timeout, svc_uptime_monitoring_keyword: keyword } = settings;
    const isSearch = settings.svc_uptime_monitoring_type === 'keyword';
    errors
      .require('svc_uptime_monitoring_timeout', isAllowedTimeout(timeout), TIMEOUT_RULE)
      .require('svc_uptime_monitoring_keyword', !isSearch || keyword.trim() !== '', 'must not be empty for this type');
  },
};

interface SettingsEdit<G extends SettingsGroupName> {
  patch: SettingsPatch<G>;
  before: Settings<G>;
  after: Settings<G>;
}

type RedirectionRules = { readonly [G in SettingsGroupName]?: (edit: SettingsEdit<G>, errors: FieldErrors) => void };

const REDIRECTION_RULES: RedirectionRules = {
  vulnerabilities: ({ patch, before, after: { wordfence_url: url } }, errors) => {
    const isRedirected =
      before.wordfence_api_key_set &&
      patch.wordfence_api_key === undefined &&
      parseUrl(url) !== null &&
      ![before.wordfence_url, DEFAULTS.vulnerabilities.wordfence_url].some((known) => haveSameOrigin(known, url));
    errors.require('wordfence_api_key', !isRedirected, 'must be sent with a URL of another host');
  },
};

/**
 * Throws `InvalidError` if an edit changes the host of a URL and keeps the stored secret that is sent there. No caller
 * can read a stored secret, but with the URL of their own server they would receive it.
 */
export function refuseRedirectedSecrets<G extends SettingsGroupName>(group: G, edit: SettingsEdit<G>): void {
  const errors = new FieldErrors();
  REDIRECTION_RULES[group]?.(edit, errors);
  errors.throwIfAny();
}

/**
 * True for a URL without a user and password, which would be readable in the settings, or for a relative path without
 * `..`. The feed reader checks symbolic links.
 */
function isFeedPlace(location: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) {
    const url = /^https?:\/\/[^\s]+$/i.test(location) ? parseUrl(location) : null;
    return url !== null && url.username === '' && url.password === '';
  }
  return location.trim() !== '' && !/^[/\\]/.test(location) && !location.split(/[/\\]/).includes('..');
}

export function refuseBrokenGroupRules<G extends SettingsGroupName>(group: G, settings: Settings<G>): void {
  const errors = new FieldErrors();
  RULES[group]?.(settings, errors);
  errors.throwIfAny();
}

export function withSettingOverrides<G extends SettingsGroupName>(
  group: G,
  base: Settings<G>,
  own: SettingsPatch<G>,
): Settings<G> {
  const settings = applySettingChanges(group, base, parseSettingsPatch(group, own, base));
  refuseBrokenGroupRules(group, settings);
  return settings;
}
