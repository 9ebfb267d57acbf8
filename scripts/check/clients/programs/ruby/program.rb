require 'uri'
require 'sitefleet_abilities'
require 'sitefleet_v2'

# Without this class, the client sends an empty user and password in place of the API key.
class KeyConfiguration < SitefleetV2::Configuration
  def auth_settings = super.slice('bearer')
end

config = KeyConfiguration.new do |it|
  it.server_index = nil
  it.scheme, it.host = ENV['SITEFLEET_URL'].split('://')
  it.base_path = '/api/v2'
  it.access_token = ENV['SITEFLEET_API_KEY']
end
client = SitefleetV2::ApiClient.new(config)
sites = SitefleetV2::SitesApi.new(client)
tags = SitefleetV2::TagsApi.new(client)

first = sites.sites_list(per_page: 2)
second = sites.sites_list(per_page: 2, page: 2)
puts "#{first.total} sites"
[first, second].each { |page| puts "page #{page.page}: #{page.data.map(&:id).join(', ')}" }

by_id = sites.sites_get('1').data
url = URI(by_id.url)
domain = "#{url.host}:#{url.port}"
puts "by ID: #{by_id.id}"
puts "by domain: #{sites.sites_get(domain).data.id}"

tag = SitefleetV2::TagAdd.new(name: 'care plan', color: '#1a73e8')
added = tags.tags_add(tag).data
begin
  tags.tags_add(tag)
rescue SitefleetV2::ApiError => e
  error = client.convert_to_type(JSON.parse(e.response_body, symbolize_names: true), 'ErrorBody')
  puts "#{e.code} #{error.code}"
end
edited = tags.tags_edit(added.id, SitefleetV2::TagEdit.new(color: nil)).data
puts "color: #{edited.color.inspect.sub('nil', 'null')}"

config = SitefleetAbilities::Configuration.new do |it|
  it.server_index = nil
  it.scheme, it.host = ENV['SITEFLEET_URL'].split('://')
  it.base_path = '/abilities/v1'
  it.username = ENV['SITEFLEET_USER']
  it.password = ENV['SITEFLEET_PASSWORD']
end
ability = SitefleetAbilities::SitesApi.new(SitefleetAbilities::ApiClient.new(config))
input = SitefleetAbilities::GetSiteInput.new(site_id_or_domain: domain)
site = ability.get_site_v1(SitefleetAbilities::GetSiteBody.new(input: input))
puts "ability: #{site.id}"

csv = SitefleetV2::TimeTrackerApi.new(client).time_tracker_tasks_export
puts "csv: #{csv.split(',').first}"
templates = SitefleetV2::ReportTemplatesApi.new(client)
first_day, last_day = Date.new(2026, 11, 1), Date.new(2026, 11, 30)
pdf = templates.report_templates_preview(first_day, last_day, 'care-plan', format: 'pdf')
puts "pdf: #{pdf.bytesize} bytes"

jobs = SitefleetV2::JobsApi.new(client)
id = SitefleetV2::SchedulesApi.new(client).schedules_run('daily-sync').data.job_id
job = jobs.jobs_get(id).data
while job.completed_at.nil?
  sleep 0.1
  job = jobs.jobs_get(id).data
end
puts "job: #{job.status}"
puts "unknown type: #{job.type}"
