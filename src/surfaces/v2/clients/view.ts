import type { components } from '../../../../generated/v2.ts';
import type { Client, ClientBrief, OptionalClientFields, ClientField } from '../../../domains/clients/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { addressView } from '../../client-profile-fields.ts';

type Schemas = components['schemas'];

export const clientView = (client: Client & OptionalClientFields): Schemas['ClientRecord'] => ({
  id: client.id,
  name: client.name,
  email: client.email,
  client_email: client.email,
  phone: client.phone,
  client_phone: client.phone,
  ...addressView(client),
  client_facebook: client.facebook,
  client_twitter: client.twitter,
  client_instagram: client.instagram,
  client_linkedin: client.linkedin,
  time_zone: client.timeZone,
  mail_from_name: client.mailFromName,
  mail_reply_to: client.mailReplyTo,
  language: client.language,
  report_template: client.reportTemplate,
  report_text: client.reportText,
  site_order: siteOrderIdsOf(client),
  status: client.status,
  suspended: client.status === 'suspended' ? 1 : 0,
  sites_count: client.sitesCount,
  ...(client.siteIds && { selected_sites: client.siteIds }),
  ...(client.tags && { tags: client.tags }),
  ...(client.customFields && { custom_fields: client.customFields }),
  created_at: toIso(client.createdAt),
  updated_at: toIso(client.updatedAt),
});

const siteOrderIdsOf = ({ siteOrder }: Client): number[] => (siteOrder === '' ? [] : siteOrder.split(',').map(Number));

export const clientFieldView = ({
  id,
  name,
  description,
  createdAt,
  updatedAt,
}: ClientField): Schemas['ClientField'] => ({
  id,
  field_id: id,
  name,
  description,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});

export const clientBriefView = ({ id, name, email, status }: ClientBrief): Schemas['ClientBrief'] => ({
  id,
  name,
  email,
  status,
});
