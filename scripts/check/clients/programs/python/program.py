import time
from datetime import date
from os import environ
from urllib.parse import urlsplit

import sitefleet_abilities as abilities
import sitefleet_v2 as v2

url = environ["SITEFLEET_URL"]
client = v2.ApiClient(v2.Configuration(f"{url}/api/v2", access_token=environ["SITEFLEET_API_KEY"]))
sites, tags = v2.SitesApi(client), v2.TagsApi(client)

first = sites.sites_list(per_page=2)
second = sites.sites_list(per_page=2, page=2)
print(f"{first.total} sites")
for page in (first, second):
    print(f"page {page.page}: {', '.join(str(site.id) for site in page.data)}")

by_id = sites.sites_get("1").data
domain = urlsplit(by_id.url).netloc
print(f"by ID: {by_id.id}")
print(f"by domain: {sites.sites_get(domain).data.id}")

tag = v2.TagAdd(name="care plan", color="#1a73e8")
added = tags.tags_add(tag).data
try:
    tags.tags_add(tag)
except v2.exceptions.ConflictException as error:
    print(error.status, error.data.code)
edited = tags.tags_edit(added.id, v2.TagEdit(color=None)).data
print(f"color: {'null' if edited.color is None else edited.color}")

login = {"username": environ["SITEFLEET_USER"], "password": environ["SITEFLEET_PASSWORD"]}
ability = abilities.SitesApi(abilities.ApiClient(abilities.Configuration(f"{url}/abilities/v1", **login)))
body = abilities.GetSiteBody(input=abilities.GetSiteInput(site_id_or_domain=abilities.SiteRef(domain)))
print(f"ability: {ability.get_site_v1(body).id}")

print(f"csv: {v2.TimeTrackerApi(client).time_tracker_tasks_export().split(',')[0]}")
days = {"start_date": date(2026, 11, 1), "end_date": date(2026, 11, 30)}
# The method without this suffix reads a PDF as text, which changes its bytes.
templates = v2.ReportTemplatesApi(client)
pdf = templates.report_templates_preview_without_preload_content(template_key="care-plan", format="pdf", **days).read()
print(f"pdf: {len(pdf)} bytes")

jobs = v2.JobsApi(client)
job_id = v2.SchedulesApi(client).schedules_run("daily-sync").data.job_id
while (job := jobs.jobs_get(job_id).data).completed_at is None:
    time.sleep(0.1)
print(f"job: {job.status}")
print(f"unknown type: {job.type}")
