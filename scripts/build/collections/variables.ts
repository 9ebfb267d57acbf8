/** A variable of a collection. It is set once, and all requests use it. */
export interface CollectionVariable {
  name: string;
  value: string;
  isSecret: boolean;
  description: string;
}

const variable = (name: string, value: string, description: string, isSecret = false): CollectionVariable => ({
  ...{ name, value, isSecret, description },
});

const SITE = variable('site', '1', 'ID, domain or URL of a site.');
const CLIENT = variable('client', '1', 'ID or e-mail address of a client.');

/** Variables by the parameter that they fill, also in the input of an ability. */
const BY_PARAMETER: Readonly<Record<string, CollectionVariable>> = {
  id_or_domain: SITE,
  site_id_or_domain: SITE,
  id_or_email: CLIENT,
  client_id_or_email: CLIENT,
  tag_id: variable('tag', '1', 'ID of a tag.'),
  cost_id: variable('cost', '1', 'ID of a cost.'),
  job_id: variable('job', 'sync_0b6c1f9e-5f0e-4a53-9d0e-0a8d3c1f2b4a', 'ID of a job.'),
  post_id: variable('post', '1', 'ID of a post of the site.'),
  page_id: variable('page', '2', 'ID of a page of the site.'),
  id_comment: variable('comment', '1', 'ID of a comment of the site.'),
  user_id: variable('user', '1', 'ID of a user of the site.'),
  id_or_name: variable('clientField', '1', 'ID or name of a client field.'),
  vulnerability_id: variable('vulnerability', '1', 'ID of a vulnerability.'),
  fix_id: variable('fix', '1', 'ID of a fix of a vulnerability.'),
  package_id: variable('package', '1', 'ID of a package.'),
  pin_id: variable('pin', '1', 'ID of a pin.'),
  task_id: variable('task', '1', 'ID of a task of the time tracker.'),
  bucket_id: variable('bucket', '1', 'ID of a bucket of the time tracker.'),
  template_key: variable('reportTemplate', 'care-plan', 'Key of a report template.'),
  schedule_id: variable('reportSchedule', '1', 'ID of a report schedule.'),
  report_id: variable('report', '1', 'ID of a stored report.'),
  mail_id: variable('mail', '1', 'ID of a mail in the outbox.'),
  key_id: variable('key', '1', 'ID of an API key.'),
  role_name: variable('role', 'viewer', 'Name of a role.'),
  service_user_id: variable('serviceUser', '1', 'ID of a user of this service.'),
};

export const VARIABLES: readonly CollectionVariable[] = [
  variable('baseUrl', 'http://127.0.0.1:8080', 'Address of the service.'),
  variable('apiKey', '', 'An API key, which both surfaces take.', true),
  ...new Set(Object.values(BY_PARAMETER)),
];

/** Returns `{{name}}` if a variable fills this parameter. */
export function placeholderOf(parameter: string): string | undefined {
  const filling = Object.hasOwn(BY_PARAMETER, parameter) ? BY_PARAMETER[parameter] : undefined;
  return filling && `{{${filling.name}}}`;
}
