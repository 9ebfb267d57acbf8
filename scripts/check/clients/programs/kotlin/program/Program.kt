import com.fasterxml.jackson.annotation.JsonInclude
import java.io.File
import java.io.IOException
import java.net.URI
import java.time.Duration
import java.time.LocalDate
import sitefleet.abilities.models.GetSiteBody
import sitefleet.abilities.models.GetSiteInput
import sitefleet.v2.apis.JobsApi
import sitefleet.v2.apis.ReportTemplatesApi
import sitefleet.v2.apis.SchedulesApi
import sitefleet.v2.apis.SitesApi
import sitefleet.v2.apis.TagsApi
import sitefleet.v2.apis.TimeTrackerApi
import sitefleet.v2.infrastructure.ClientError
import sitefleet.v2.infrastructure.ClientException
import sitefleet.v2.infrastructure.RequestConfig
import sitefleet.v2.infrastructure.Serializer
import sitefleet.v2.infrastructure.Success
import sitefleet.v2.models.ApiError
import sitefleet.v2.models.TagAdd
import sitefleet.v2.models.TagEdit
import sitefleet.v2.infrastructure.ApiClient as RoutesClient
import sitefleet.abilities.infrastructure.ApiClient as AbilitiesClient

fun main() {
  val url = System.getenv("SITEFLEET_URL")
  RoutesClient.builder.readTimeout(Duration.ofMinutes(3)) // 10 seconds by default; a PDF can take longer
  RoutesClient.accessToken = System.getenv("SITEFLEET_API_KEY")
  val sites = SitesApi("$url/api/v2")
  val tags = TagsApi("$url/api/v2")

  val first = sites.sitesList(perPage = 2)
  val second = sites.sitesList(perPage = 2, page = 2)
  println("${first.total} sites")
  for (page in listOf(first, second)) println("page ${page.page}: ${page.data.joinToString { "${it.id}" }}")

  val byId = sites.sitesGet("1").data
  val domain = URI(byId.url).authority
  println("by ID: ${byId.id}")
  println("by domain: ${sites.sitesGet(domain).data.id}")

  val tag = TagAdd(name = "care plan", color = "#1a73e8")
  val added = tags.tagsAdd(tag).data
  try {
    tags.tagsAdd(tag)
  } catch (error: ClientException) {
    val body = (error.response as ClientError<*>).body as String
    println("${error.statusCode} ${Serializer.jacksonObjectMapper.readValue(body, ApiError::class.java).code}")
  }
  // A null that is set looks like a field that is left out. This sends both, so set every field of the edit.
  Serializer.jacksonObjectMapper.configOverride(TagEdit::class.java).include =
    JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS)
  val edited = tags.tagsEdit(added.id, TagEdit(name = added.name, color = null)).data
  println("color: ${edited.color}")

  AbilitiesClient.username = System.getenv("SITEFLEET_USER")
  AbilitiesClient.password = System.getenv("SITEFLEET_PASSWORD")
  val ability = sitefleet.abilities.apis.SitesApi("$url/abilities/v1")
  println("ability: ${ability.getSiteV1(GetSiteBody(GetSiteInput(siteIdOrDomain = domain))).id}")

  val files = Files("$url/api/v2")
  val tasks = TimeTrackerApi().timeTrackerTasksExportRequestConfig(null, null, null, null, null, null, null, null, null)
  println("csv: ${files.download(tasks).readText().substringBefore(',')}")
  val preview = ReportTemplatesApi().reportTemplatesPreviewRequestConfig(
    "care-plan", LocalDate.of(2026, 11, 1), LocalDate.of(2026, 11, 30), null, null, null, null,
    ReportTemplatesApi.FormatReportTemplatesPreview.PDF,
  )
  println("pdf: ${files.download(preview).length()} bytes")

  val jobs = JobsApi("$url/api/v2")
  val id = SchedulesApi("$url/api/v2").schedulesRun("daily-sync").data!!.jobId
  var job = jobs.jobsGet(id).data
  while (job.completedAt == null) {
    Thread.sleep(100)
    job = jobs.jobsGet(id).data
  }
  println("job: ${job.status}")
  println("unknown type: ${job.type}")
}

/** The methods of the client throw `UnsupportedOperationException` for CSV and PDF. */
class Files(url: String) : RoutesClient(url) {
  fun download(config: RequestConfig<Unit>): File {
    val response = request<Unit, File>(config)
    return (response as? Success<*>)?.data as? File ?: throw IOException("Status ${response.statusCode}")
  }
}
