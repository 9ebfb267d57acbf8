import { toldBySite } from './told-by-site.ts';

/** What was cleaned up on the site. */
export const maintenance = toldBySite({
  name: 'maintenance',
  action: 'process',
  fields: ['details', 'result'],
  kind: 'maintenance',
  itemOf: ({ details, result }) => ({ details, result }),
});
