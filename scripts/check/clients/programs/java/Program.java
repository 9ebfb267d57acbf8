import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import sitefleet.abilities.model.GetSiteBody;
import sitefleet.abilities.model.GetSiteInput;
import sitefleet.abilities.model.SiteRef;
import sitefleet.v2.ApiClient;
import sitefleet.v2.ApiException;
import sitefleet.v2.api.SitesApi;
import sitefleet.v2.api.TagsApi;
import sitefleet.v2.model.ApiError;
import sitefleet.v2.model.SitesList;
import sitefleet.v2.model.TagAdd;
import sitefleet.v2.model.TagEdit;

public class Program {
  public static void main(String[] args) throws Exception {
    String url = System.getenv("SITEFLEET_URL");
    ApiClient client = new ApiClient().setBasePath(url + "/api/v2").setServerIndex(null);
    client.setBearerToken(System.getenv("SITEFLEET_API_KEY"));
    SitesApi sites = new SitesApi(client);
    TagsApi tags = new TagsApi(client);

    SitesList first = page(sites, 1);
    SitesList second = page(sites, 2);
    System.out.println(first.getTotal() + " sites");
    for (SitesList page : List.of(first, second)) {
      String ids = page.getData().stream().map(site -> "" + site.getId()).collect(Collectors.joining(", "));
      System.out.println("page " + page.getPage() + ": " + ids);
    }

    var byId = sites.sitesGet("1", null, null, null, null).getData();
    String domain = URI.create(byId.getUrl()).getAuthority();
    var byDomain = sites.sitesGet(domain, null, null, null, null).getData();
    System.out.println("by ID: " + byId.getId());
    System.out.println("by domain: " + byDomain.getId());

    TagAdd tag = new TagAdd().name("care plan").color("#1a73e8");
    var added = tags.tagsAdd(tag, null).getData();
    try {
      tags.tagsAdd(tag, null);
    } catch (ApiException error) {
      ApiError body = (ApiError) error.getErrorEntity();
      System.out.println(error.getCode() + " " + body.getCode());
    }
    var edited = tags.tagsEdit(added.getId(), new TagEdit().color(null), null, null).getData();
    System.out.println("color: " + edited.getColor());

    var login = new sitefleet.abilities.ApiClient().setBasePath(url + "/abilities/v1").setServerIndex(null);
    login.setUsername(System.getenv("SITEFLEET_USER")).setPassword(System.getenv("SITEFLEET_PASSWORD"));
    var ability = new sitefleet.abilities.api.SitesApi(login);
    GetSiteInput input = new GetSiteInput().siteIdOrDomain(new SiteRef(domain));
    System.out.println("ability: " + ability.getSiteV1(new GetSiteBody().input(input), null).getId());
  }

  static SitesList page(SitesApi sites, int number) throws ApiException {
    return sites.sitesList(number, 2, null, null, null, null, null, null, null, null, null);
  }
}
