import type { components } from '../../../../generated/v2.ts';
import type { ClientSitesAndFieldValues, ClientProfile, ClientPatch } from '../../../domains/clients/index.ts';
import { CLIENT_FIELD_NAMES } from '../../client-profile-fields.ts';

type Body = components['schemas']['ClientEdit'];

export const fieldNames = {
  ...CLIENT_FIELD_NAMES,
  facebook: 'client_facebook',
  twitter: 'client_twitter',
  instagram: 'client_instagram',
  linkedin: 'client_linkedin',
  timeZone: 'time_zone',
  mailFromName: 'mail_from_name',
  mailReplyTo: 'mail_reply_to',
  language: 'language',
  reportTemplate: 'report_template',
  reportText: 'report_text',
  siteOrder: 'site_order',
} as const satisfies Record<keyof ClientProfile, keyof Body>;

export function clientPatchOf(body: Body): ClientPatch {
  const entries = Object.entries(fieldNames).map(([field, name]) => [field, body[name]] as const);
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, Array.isArray(value) ? value.join(',') : (value ?? '')]),
  );
}

export const toSitesAndFieldValues = ({ selected_sites, custom_fields }: Body): ClientSitesAndFieldValues => ({
  ...(selected_sites === undefined ? {} : { siteIds: selected_sites ?? [] }),
  ...(custom_fields === undefined ? {} : { customFields: custom_fields }),
});
