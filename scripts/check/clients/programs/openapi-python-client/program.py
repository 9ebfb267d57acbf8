import base64
import time
from datetime import date
from os import environ
from urllib.parse import urlsplit

import sitefleet_abilities
import sitefleet_v2
from sitefleet_abilities.api.sites import get_site_v1
from sitefleet_abilities.models import GetSiteBody, GetSiteInput
from sitefleet_v2.api.jobs import jobs_get
from sitefleet_v2.api.report_templates import report_templates_preview
from sitefleet_v2.api.schedules import schedules_run
from sitefleet_v2.api.sites import sites_get, sites_list
from sitefleet_v2.api.tags import tags_add, tags_edit
from sitefleet_v2.api.time_tracker import time_tracker_tasks_export
from sitefleet_v2.models import ApiError, ReportTemplatesPreviewFormat, TagAdd, TagEdit

url = environ["SITEFLEET_URL"]
client = sitefleet_v2.AuthenticatedClient(f"{url}/api/v2", token=environ["SITEFLEET_API_KEY"])

first = sites_list.sync(client=client, per_page=2)
second = sites_list.sync(client=client, per_page=2, page=2)
print(f"{first.total} sites")
for page in (first, second):
    print(f"page {page.page}: {', '.join(str(site.id) for site in page.data)}")

by_id = sites_get.sync("1", client=client).data
domain = urlsplit(by_id.url).netloc
print(f"by ID: {by_id.id}")
print(f"by domain: {sites_get.sync(domain, client=client).data.id}")

tag = TagAdd(name="care plan", color="#1a73e8")
added = tags_add.sync(client=client, body=tag).data
response = tags_add.sync_detailed(client=client, body=tag)
if isinstance(response.parsed, ApiError):
    print(response.status_code.value, response.parsed.code)
edited = tags_edit.sync(added.id, client=client, body=TagEdit(color=None)).data
print(f"color: {'null' if edited.color is None else edited.color}")

login = base64.b64encode(f"{environ['SITEFLEET_USER']}:{environ['SITEFLEET_PASSWORD']}".encode()).decode()
ability = sitefleet_abilities.AuthenticatedClient(f"{url}/abilities/v1", token=login, prefix="Basic")
site = get_site_v1.sync(client=ability, body=GetSiteBody(input_=GetSiteInput(site_id_or_domain=domain)))
print(f"ability: {site.id}")

csv = time_tracker_tasks_export.sync(client=client)
print(f"csv: {csv.split(',')[0]}")
query = {"start_date": date(2026, 11, 1), "end_date": date(2026, 11, 30), "format_": ReportTemplatesPreviewFormat.PDF}
# `content` has the bytes. `parsed` is a text, which changes a PDF.
preview = report_templates_preview.sync_detailed("care-plan", client=client, **query)
print(f"pdf: {len(preview.content)} bytes")

job_id = schedules_run.sync("daily-sync", client=client).data.job_id
while (job := jobs_get.sync(job_id, client=client).data).completed_at is None:
    time.sleep(0.1)
print(f"job: {job.status}")
print(f"unknown type: {job.type_}")
