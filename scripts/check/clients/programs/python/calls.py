"""Calls a service and its simulated fleet with the generated Python clients of both surfaces, as their users would.

Sites 1 to 4 answer, site 5 does not.
"""

import inspect
import time
from typing import get_args

import sitefleet_abilities as abilities
import sitefleet_v2 as v2
from sitefleet_abilities import models as a
from sitefleet_v2 import models as r

DEADLINE = 60
calls = 0


def made(answer):
    global calls
    calls += 1
    return answer


def run(api, name, /, **values):
    """Runs an ability with a typed input: `run(sites, "get-site-v1", site_id_or_domain=a.SiteRef(1))`."""
    method = getattr(api, name.replace("-", "_"))
    # Abilities with the same input share its model.
    body = next(each for each in inspect.signature(method).parameters if each.endswith("_body"))
    model = getattr(a, "".join(word.capitalize() for word in body.split("_")))
    annotation = model.model_fields["input"].annotation
    (model_of_input,) = [each for each in get_args(annotation) or (annotation,) if each is not type(None)]
    return made(method(**{body: model(input=model_of_input(**values))}))


def abilities_surface(base, user, password):
    client = abilities.ApiClient(abilities.Configuration(f"{base}/abilities/v1", username=user, password=password))
    sites, clients, tags = abilities.SitesApi(client), abilities.ClientsApi(client), abilities.TagsApi(client)
    updates, jobs = abilities.UpdatesApi(client), abilities.JobsApi(client)
    site = a.SiteRef(1)

    page = made(sites.list_sites_v1(a.ListSitesInput(per_page=2, status="connected")))
    assert (len(page.items), page.total, page.per_page) == (2, 5, 2), page
    detail = run(sites, "get-site-v1", site_id_or_domain=site, include_stats=True)
    assert detail.id == 1 and detail.stats is not None, detail
    assert run(sites, "get-site-client-v1", site_id_or_domain=site).client is None
    by_name = run(sites, "get-site-v1", site_id_or_domain=a.SiteRef(detail.url))
    assert by_name.id == 1

    synced = run(sites, "sync-sites-v1", site_ids_or_domains=[a.SiteRef(1), a.SiteRef(5)]).actual_instance
    assert isinstance(synced, a.SyncSitesDone) and synced.queued is False, synced
    assert [each.id for each in synced.synced] == [1] and synced.errors[0].identifier.actual_instance == 5, synced
    checked = run(sites, "check-sites-v1", site_ids_or_domains=[site]).actual_instance
    assert isinstance(checked, a.SitesChecked) and checked.results[0].reachable, checked
    assert run(sites, "check-site-v1", site_id_or_domain=site).checked is True

    assert run(sites, "suspend-site-v1", site_id_or_domain=site).suspended is True
    assert run(sites, "unsuspend-site-v1", site_id_or_domain=site).unsuspended is True
    assert run(sites, "disconnect-site-v1", site_id_or_domain=site).disconnected is True
    assert run(sites, "reconnect-site-v1", site_id_or_domain=site).reconnected is True

    owner = run(clients, "add-client-v1", name="Harbour Bakery", selected_sites=[2])
    owned = run(sites, "get-site-client-v1", site_id_or_domain=a.SiteRef(2))
    assert owned.client.id == owner.id, owned
    client_ref = a.ClientRef(owner.id)
    assert run(clients, "suspend-client-v1", client_id_or_email=client_ref).suspended is True
    assert run(clients, "unsuspend-client-v1", client_id_or_email=client_ref).unsuspended is True
    preview = run(clients, "delete-client-v1", client_id_or_email=client_ref, dry_run=True)
    assert preview.dry_run is True and preview.deleted is False and preview.would_affect.sites == 1, preview
    assert run(clients, "delete-client-v1", client_id_or_email=client_ref, confirm=True).deleted is True

    tag = run(tags, "add-tag-v1", name="shop", color="#1a73e8")
    preview = run(tags, "delete-tag-v1", tag_id=tag.id, dry_run=True)
    assert preview.dry_run is True and preview.would_affect is not None, preview
    assert run(tags, "delete-tag-v1", tag_id=tag.id, confirm=True).deleted is True

    waiting = made(updates.list_updates_v1(a.ListUpdatesInput(types=["plugins"], site_ids_or_domains=[site])))
    slug = waiting.updates[0].slug
    assert run(updates, "ignore-site-core-v1", site_id_or_domain=site, action="add").success is True
    assert run(updates, "ignore-site-core-v1", site_id_or_domain=site, action="remove").success is True
    assert run(updates, "ignore-site-plugins-v1", site_id_or_domain=site, action="add", slugs=[slug]).success is True
    assert run(updates, "ignore-site-themes-v1", site_id_or_domain=site, action="add", slugs=["none"]).success is True
    rule = {"action": "unignore", "site_id_or_domain": site, "type": "plugin", "slug": slug}
    assert run(updates, "set-ignored-updates-v1", **rule).success is True
    done = run(updates, "update-site-plugins-v1", site_id_or_domain=site, slugs=[slug])
    assert done.updated[0].slug == slug, done
    outdated = made(updates.list_updates_v1(a.ListUpdatesInput(types=["core"])))
    core = run(updates, "update-site-core-v1", site_id_or_domain=a.SiteRef(outdated.updates[0].site_id))
    assert core.updated is True and core.old_version != core.new_version, core

    try:
        run(sites, "get-site-v1", site_id_or_domain=a.SiteRef(99))
        raise AssertionError("An unknown site was found.")
    except abilities.exceptions.NotFoundException as refusal:
        assert isinstance(refusal.data, a.ApiError) and refusal.data.code == "svc_site_not_found", refusal.data
    made(None)
    preview = run(sites, "delete-site-v1", site_id_or_domain=a.SiteRef(4), dry_run=True).actual_instance
    assert isinstance(preview, a.DeleteSitePreview), preview
    gone = run(sites, "delete-site-v1", site_id_or_domain=a.SiteRef(4), confirm=True).actual_instance
    assert isinstance(gone, a.DeleteSiteDone) and gone.deleted is True, gone
    return jobs


def routes_surface(base, key, status_of):
    client = v2.ApiClient(v2.Configuration(f"{base}/api/v2", access_token=key))
    sites, jobs, batch = v2.SitesApi(client), v2.JobsApi(client), v2.BatchApi(client)

    page = made(sites.sites_list(per_page=2, include=[1, 2, 3]))
    assert (len(page.data), page.total) == (2, 3), page
    synced = made(sites.sites_sync_all(fleet_selection=r.FleetSelection(include=[1, 5]))).actual_instance
    assert isinstance(synced, r.SitesSynced) and synced.total == 2 and len(synced.errors) == 1, synced
    listed = made(v2.UpdatesApi(client).updates_list(type=["plugins"], shape="by_site"))
    assert len(listed.data) == listed.summary.plugins and listed.by_site, listed

    body = r.BatchBody(
        sites=r.BatchSiteActions(sync=[1, 99]),
        tags=r.BatchTags(create=[r.TagAdd(name="care plan")]),
    )
    came = made(batch.batch_run(body))
    assert came.tags["create"][0].success == 1 and came.tags["create"][0].data["name"] == "care plan", came
    first, second = came.sites["sync"]
    assert first.success == 1 and first.error is None, first
    assert (second.id, second.error.code) == (99, "svc_site_not_found"), second

    last = made(jobs.jobs_list(type="sync", status="completed")).data[0]
    retried = made(jobs.jobs_retry_failed(last.job_id)).data
    until = time.monotonic() + DEADLINE
    job = made(jobs.jobs_get(retried.job_id))
    while job.data.completed_at is None:
        assert time.monotonic() < until, job
        time.sleep(0.2)
        job = jobs.jobs_get(retried.job_id)
    assert job.items[0].result is None and job.items[0].error.code == "svc_site_unreachable", job
    status = made(status_of.get_batch_job_status_v1(a.GetBatchJobStatusInput(job_id=retried.job_id)))
    assert status.status == "failed" and status.failed == 1, status

    tag = made(v2.TagsApi(client).tags_edit(came.tags["create"][0].data["id"], r.TagEdit(color="#0a5")))
    assert tag.data.color == "#00aa55", tag
    try:
        v2.TagsApi(client).tags_get(4711)
        raise AssertionError("An unknown tag was found.")
    except v2.exceptions.NotFoundException as refusal:
        assert refusal.data.code == "svc_tag_not_found", refusal.data
    made(None)


def call_all(base, user, password, key):
    routes_surface(base, key, abilities_surface(base, user, password))
    print(f"{calls} calls with the generated Python clients went well.")
