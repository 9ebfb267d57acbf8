import base64
from os import environ
from urllib.parse import urlsplit

import sitefleet_abilities
import sitefleet_v2
from sitefleet_abilities.api.sites import get_site_v1
from sitefleet_abilities.models import GetSiteBody, GetSiteInput
from sitefleet_v2.api.sites import sites_get, sites_list
from sitefleet_v2.api.tags import tags_add, tags_edit
from sitefleet_v2.models import ApiError, TagAdd, TagEdit

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
