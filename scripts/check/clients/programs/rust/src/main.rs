use sitefleet_abilities as abilities;
use sitefleet_v2::apis::configuration::Configuration;
use sitefleet_v2::apis::jobs_api::{jobs_get, JobsGetParams};
use sitefleet_v2::apis::schedules_api::{schedules_run, SchedulesRunParams};
use sitefleet_v2::apis::sites_api::{sites_get, sites_list, SitesGetParams, SitesListParams};
use sitefleet_v2::apis::tags_api::{tags_add, tags_edit, TagsAddParams, TagsEditParams};
use sitefleet_v2::apis::Error;
use sitefleet_v2::models::{ApiError, Job, SiteRead, SitesList, TagAdd, TagEdit};
use std::env::var;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = var("SITEFLEET_URL")?;
    let config = Configuration {
        base_path: format!("{url}/api/v2"),
        bearer_access_token: Some(var("SITEFLEET_API_KEY")?),
        ..Configuration::new()
    };

    let first = page(&config, 1).await?;
    let second = page(&config, 2).await?;
    println!("{} sites", first.total);
    for page in [first, second] {
        let ids: Vec<String> = page.data.iter().map(|site| site.id.to_string()).collect();
        println!("page {}: {}", page.page, ids.join(", "));
    }

    let by_id = site(&config, "1").await?.data;
    let domain = by_id.url.trim_start_matches("http://").trim_end_matches('/');
    println!("by ID: {}", by_id.id);
    println!("by domain: {}", site(&config, domain).await?.data.id);

    let tag = TagAdd { color: Some(Some("#1a73e8".into())), ..TagAdd::new("care plan".into()) };
    let add = TagsAddParams { tag_add: tag, idempotency_key: None };
    let added = tags_add(&config, add.clone()).await?.data;
    if let Err(Error::ResponseError(response)) = tags_add(&config, add).await {
        // `entity` is always the variant of the first status, because all variants have the same fields.
        let error: ApiError = serde_json::from_str(&response.content)?;
        println!("{} {}", response.status.as_u16(), error.code);
    }
    let edit = TagEdit { color: Some(None), ..TagEdit::new() };
    let params = TagsEditParams { tag_id: added.id, tag_edit: edit, idempotency_key: None, if_match: None };
    let edited = tags_edit(&config, params).await?.data;
    println!("color: {}", edited.color.as_deref().unwrap_or("null"));

    let login = abilities::apis::configuration::Configuration {
        base_path: format!("{url}/abilities/v1"),
        basic_auth: Some((var("SITEFLEET_USER")?, Some(var("SITEFLEET_PASSWORD")?))),
        ..Default::default()
    };
    let input = abilities::models::GetSiteInput::new(abilities::models::SiteRef::String(domain.into()));
    let body = abilities::models::GetSiteBody::new(input);
    let params = abilities::apis::sites_api::GetSiteV1Params { get_site_body: body, idempotency_key: None };
    let site = abilities::apis::sites_api::get_site_v1(&login, params).await?;
    println!("ability: {}", site.id);

    // The functions of the client return an error for every response that is not JSON.
    let csv = file(&config, "time-tracker/tasks/export").await?;
    println!("csv: {}", String::from_utf8(csv)?.split(',').next().unwrap_or(""));
    let path = "report-templates/care-plan/preview?start_date=2026-11-01&end_date=2026-11-30&format=pdf";
    println!("pdf: {} bytes", file(&config, path).await?.len());

    let params = SchedulesRunParams { name: "daily-sync".into(), idempotency_key: None };
    let started = schedules_run(&config, params).await?.data.ok_or("nothing to do")?;
    let mut ended = job(&config, &started.job_id).await?;
    while ended.completed_at.is_none() {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ended = job(&config, &started.job_id).await?;
    }
    println!("job: {}", ended.status);
    println!("unknown type: {}", ended.r#type);
    Ok(())
}

async fn file(config: &Configuration, path: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let request = config.client.get(format!("{}/{path}", config.base_path));
    let key = config.bearer_access_token.as_deref().unwrap_or("");
    Ok(request.bearer_auth(key).send().await?.error_for_status()?.bytes().await?.to_vec())
}

async fn job(config: &Configuration, id: &str) -> Result<Job, Box<dyn std::error::Error>> {
    let params = JobsGetParams { job_id: id.into(), page: None, per_page: None, _fields: None, state: None };
    Ok(*jobs_get(config, params).await?.data)
}

async fn page(config: &Configuration, page: i32) -> Result<SitesList, Box<dyn std::error::Error>> {
    let params = SitesListParams {
        page: Some(page),
        per_page: Some(2),
        search: None,
        include: None,
        exclude: None,
        orderby: None,
        order: None,
        status: None,
        client_id: None,
        tag_id: None,
        with_tags: None,
        full_data: None,
        _fields: None,
    };
    Ok(sites_list(config, params).await?)
}

async fn site(config: &Configuration, id_or_domain: &str) -> Result<SiteRead, Box<dyn std::error::Error>> {
    let id_or_domain = id_or_domain.to_string();
    let params = SitesGetParams { id_or_domain, with_tags: None, full_data: None, _fields: None, if_none_match: None };
    Ok(sites_get(config, params).await?)
}
