use sitefleet_abilities as abilities;
use sitefleet_v2::apis::configuration::Configuration;
use sitefleet_v2::apis::sites_api::{sites_get, sites_list};
use sitefleet_v2::apis::tags_api::{tags_add, tags_edit};
use sitefleet_v2::apis::Error;
use sitefleet_v2::models::{ApiError, SiteRead, SitesList, TagAdd, TagEdit};
use std::env::var;

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
    let added = tags_add(&config, tag.clone(), None).await?.data;
    if let Err(Error::ResponseError(response)) = tags_add(&config, tag, None).await {
        // `entity` is always the variant of the first status, because all variants have the same fields.
        let error: ApiError = serde_json::from_str(&response.content)?;
        println!("{} {}", response.status.as_u16(), error.code);
    }
    let edit = TagEdit { color: Some(None), ..TagEdit::new() };
    let edited = tags_edit(&config, added.id, edit, None, None).await?.data;
    println!("color: {}", edited.color.as_deref().unwrap_or("null"));

    let login = abilities::apis::configuration::Configuration {
        base_path: format!("{url}/abilities/v1"),
        basic_auth: Some((var("SITEFLEET_USER")?, Some(var("SITEFLEET_PASSWORD")?))),
        ..Default::default()
    };
    let input = abilities::models::GetSiteInput::new(abilities::models::SiteRef::String(domain.into()));
    let body = abilities::models::GetSiteBody::new(input);
    let site = abilities::apis::sites_api::get_site_v1(&login, body, None).await?;
    println!("ability: {}", site.id);
    Ok(())
}

async fn page(config: &Configuration, page: i32) -> Result<SitesList, Box<dyn std::error::Error>> {
    Ok(sites_list(config, Some(page), Some(2), None, None, None, None, None, None, None, None, None).await?)
}

async fn site(config: &Configuration, id_or_domain: &str) -> Result<SiteRead, Box<dyn std::error::Error>> {
    Ok(sites_get(config, id_or_domain, None, None, None, None).await?)
}
