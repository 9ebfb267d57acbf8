/** Handles errors by their stable `code`. Narrowing the code also narrows the type of `data`. */
import { createClient, isRefusal, type ErrorsOf } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

for (const id_or_domain of [999_999, 'nowhere.example'])
  try {
    await fleet.route('sites_get', { path: { id_or_domain } });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    console.log(reasonOf(error as ErrorsOf<'sites_get'>), `(request ${error.requestId})`);
  }

/** The type contains only the error codes that the contract lists for this operation. */
function reasonOf(error: ErrorsOf<'sites_get'>): string {
  switch (error.code) {
    case 'svc_ambiguous_site':
      return `Several sites fit: ${error.data.site_ids.join(', ')}`;
    case 'rest_invalid_param':
      return error.data.errors.map(({ path, message }) => `${path} ${message}`).join('; ');
    case 'svc_rate_limited':
      return `Come back in ${error.data.retry_after_seconds} s`;
    default:
      return error.message;
  }
}
