import assert from 'node:assert/strict';
import { issueCertificate } from '../support/certificates.ts';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { serveTls, type TlsServer } from '../support/tls-servers.ts';
import { until } from '../support/until.ts';

const SITES = 120;
const LOOKED_AT_BEFORE_KILL = 30;

/** On MariaDB a second process continues. On SQLite the killed process is restarted. */
describe('certificate checks of a killed process', function () {
  this.timeout(150_000);
  let server: TlsServer;
  let services: ServiceFleet;
  const other = sharedServer() ? 1 : 0;
  before(async () => {
    server = await serveTls(await issueCertificate());
    services = await ServiceFleet.start({ sites: SITES });
    if (sharedServer()) await services.kill(other);
    for (let id = 1; id <= SITES; id++) {
      const url = `${server.url}site-${id}/`;
      const url_key = url.replace('https://', '').slice(0, -1);
      await services.knex('sites').where({ id }).update({ url, url_key });
    }
  });
  after(async () => {
    await services.close();
    await server.close();
  });

  it('when the process dies during a run, then the next run checks all sites and no alert is repeated', async () => {
    const { job_id: run } = await services.runSchedule(0, 'ssl-checks');
    await until(() => server.connections() >= LOOKED_AT_BEFORE_KILL, 'some of the sites to be looked at');
    await services.kill(0);
    const rowsOf = (table: string) => services.knex(table).orderBy('site_id').pluck<number[]>('site_id');
    const before = await services.knex('ssl_monitors').whereNotNull('last_check_at').pluck<number[]>('site_id');
    assert.ok(before.length < SITES, `${before.length} sites were checked`);
    await services.restart(other);
    const { data } = await services.finishedJob(other, run);
    assert.deepEqual([data.status, data.total, data.succeeded], ['completed', SITES, SITES]);
    const all = Array.from({ length: SITES }, (_, index) => index + 1);
    assert.deepEqual(await rowsOf('ssl_certificates'), all);
    // Each certificate changed from unknown to untrusted, which raises one alert.
    assert.deepEqual(await rowsOf('alerts'), all);
    const { total } = await services.request(other, 'GET', '/api/v2/ssl-monitor/info?status=untrusted&per_page=1');
    assert.equal(total, SITES);
  });
});
