import { toldBySite } from './told-by-site.ts';

/** Scans of the site by Wordfence. */
export const scanner2 = toldBySite({
  name: 'scanner2',
  action: 'scan',
  fields: ['result', 'details', 'issues'],
  kind: 'scanner2',
  itemOf: ({ result, details, issues }) => ({ result, details, issues }),
});
