import type { components } from '../../../generated/v2.ts';
import type { Site } from '../../domains/sites/index.ts';

type Schemas = components['schemas'];

export const siteBriefView = ({ id, url, name, status, clientId }: Site): Schemas['SiteBrief'] => ({
  id,
  url,
  name,
  status,
  client_id: clientId,
});
