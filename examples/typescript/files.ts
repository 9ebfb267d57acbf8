/** Downloads files as a `Response`, and uploads a file as a Blob. */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const csv = await fleet.file('time_tracker_tasks_export');
console.log((await csv.text()).split('\r\n')[0]);

const [site] = (await fleet.ability('list-sites-v1', { per_page: 1 })).items;
const report = await fleet.file('pro_reports_plugins', {
  path: { id_or_domain: site!.id },
  query: { start_date: '2026-11-01', end_date: '2026-11-30', format: 'html' },
});
console.log(report.headers.get('content-type'), `${(await report.blob()).size > 1000}`);

const csv_file = new Blob([`ann,ann@example.com,Ann,Lee,,,0,editor,${site!.url},`], { type: 'text/csv' });
const { success_count } = await fleet.route('users_import', { body: { csv_file, has_header: false } });
console.log(`${success_count} user was made`);
