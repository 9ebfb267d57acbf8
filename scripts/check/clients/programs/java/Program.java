import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.core.GenericType;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Collectors;
import sitefleet.abilities.model.GetSiteBody;
import sitefleet.abilities.model.GetSiteInput;
import sitefleet.abilities.model.SiteRef;
import sitefleet.v2.ApiClient;
import sitefleet.v2.ApiException;
import sitefleet.v2.Pair;
import sitefleet.v2.api.JobsApi;
import sitefleet.v2.api.SchedulesApi;
import sitefleet.v2.api.SitesApi;
import sitefleet.v2.api.TagsApi;
import sitefleet.v2.api.TimeTrackerApi;
import sitefleet.v2.model.ApiError;
import sitefleet.v2.model.SitesList;
import sitefleet.v2.model.SitesSynced;
import sitefleet.v2.model.TagAdd;
import sitefleet.v2.model.TagEdit;

public class Program {
  public static void main(String[] args) throws Exception {
    String url = System.getenv("SITEFLEET_URL");
    ApiClient client = new ApiClient().setBasePath(url + "/api/v2").setServerIndex(null);
    client.setBearerToken(System.getenv("SITEFLEET_API_KEY"));
    SitesApi sites = new SitesApi(client);
    TagsApi tags = new TagsApi(client);

    SitesList first = sites.sitesList().perPage(2).execute();
    SitesList second = sites.sitesList().perPage(2).page(2).execute();
    System.out.println(first.getTotal() + " sites");
    for (SitesList page : List.of(first, second)) {
      String ids = page.getData().stream().map(site -> "" + site.getId()).collect(Collectors.joining(", "));
      System.out.println("page " + page.getPage() + ": " + ids);
    }

    var byId = sites.sitesGet("1").execute().getData();
    String domain = URI.create(byId.getUrl()).getAuthority();
    var byDomain = sites.sitesGet(domain).execute().getData();
    System.out.println("by ID: " + byId.getId());
    System.out.println("by domain: " + byDomain.getId());

    TagAdd tag = new TagAdd().name("care plan").color("#1a73e8");
    var added = tags.tagsAdd().tagAdd(tag).execute().getData();
    try {
      tags.tagsAdd().tagAdd(tag).execute();
    } catch (ApiException error) {
      ApiError body = (ApiError) error.getErrorEntity();
      System.out.println(error.getCode() + " " + body.getCode());
    }
    var edited = tags.tagsEdit(added.getId()).tagEdit(new TagEdit().color(null)).execute().getData();
    System.out.println("color: " + edited.getColor());

    var login = new sitefleet.abilities.ApiClient().setBasePath(url + "/abilities/v1").setServerIndex(null);
    login.setUsername(System.getenv("SITEFLEET_USER")).setPassword(System.getenv("SITEFLEET_PASSWORD"));
    var ability = new sitefleet.abilities.api.SitesApi(login);
    GetSiteInput input = new GetSiteInput().siteIdOrDomain(new SiteRef(domain));
    GetSiteBody body = new GetSiteBody().input(input);
    System.out.println("ability: " + ability.getSiteV1().getSiteBody(body).execute().getId());

    String csv = new TimeTrackerApi(client).timeTrackerTasksExport().execute();
    System.out.println("csv: " + csv.split(",")[0]);
    System.out.println("pdf: " + preview(client).length + " bytes");

    // The result of each site, or a queued job if there are more sites than a call waits for.
    JsonNode answer = sites.sitesSyncAll().execute();
    if (answer.has("job_id")) throw new IllegalStateException("Queued: " + answer);
    SitesSynced synced = client.getJSON().getMapper().treeToValue(answer, SitesSynced.class);
    if (synced.getData().size() != first.getTotal()) throw new IllegalStateException("Not all are synced: " + answer);

    String id = new SchedulesApi(client).schedulesRun("daily-sync").execute().getData().getJobId();
    JobsApi jobs = new JobsApi(client);
    var job = jobs.jobsGet(id).execute().getData();
    while (job.getCompletedAt() == null) {
      Thread.sleep(100);
      job = jobs.jobsGet(id).execute().getData();
    }
    System.out.println("job: " + job.getStatus());
    System.out.println("unknown type: " + job.getType());
  }

  /** The method of the API reads a PDF as text, which changes its bytes. */
  static byte[] preview(ApiClient client) throws ApiException {
    List<Pair> query = List.of(
        new Pair("start_date", "2026-11-01"), new Pair("end_date", "2026-11-30"), new Pair("format", "pdf"));
    return client.invokeAPI(
        "/report-templates/care-plan/preview", "GET", query, null, new HashMap<>(), new HashMap<>(), new HashMap<>(),
        "application/pdf", "application/json", new String[] {"bearer"}, new GenericType<byte[]>() {}, false).getData();
  }
}
