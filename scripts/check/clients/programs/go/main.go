package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"strings"
	"time"

	abilities "sitefleet.example/go/abilities"
	v2 "sitefleet.example/go/v2"
)

func main() {
	config := v2.NewConfiguration()
	config.Servers = v2.ServerConfigurations{{URL: os.Getenv("SITEFLEET_URL") + "/api/v2"}}
	config.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("SITEFLEET_API_KEY"))
	client := v2.NewAPIClient(config)
	ctx := context.Background()

	first, _, err := client.SitesAPI.SitesList(ctx).PerPage(2).Execute()
	check(err)
	second, _, err := client.SitesAPI.SitesList(ctx).PerPage(2).Page(2).Execute()
	check(err)
	fmt.Println(first.Total, "sites")
	for _, page := range []*v2.SitesList{first, second} {
		fmt.Printf("page %d: %d, %d\n", page.Page, page.Data[0].Id, page.Data[1].Id)
	}

	byId, _, err := client.SitesAPI.SitesGet(ctx, "1").Execute()
	check(err)
	address, err := url.Parse(byId.Data.Url)
	check(err)
	byDomain, _, err := client.SitesAPI.SitesGet(ctx, address.Host).Execute()
	check(err)
	fmt.Println("by ID:", byId.Data.Id)
	fmt.Println("by domain:", byDomain.Data.Id)

	tag := v2.NewTagAdd("care plan")
	tag.SetColor("#1a73e8")
	added, _, err := client.TagsAPI.TagsAdd(ctx).TagAdd(*tag).Execute()
	check(err)
	_, response, err := client.TagsAPI.TagsAdd(ctx).TagAdd(*tag).Execute()
	var failure *v2.GenericOpenAPIError
	if errors.As(err, &failure) {
		fmt.Println(response.StatusCode, failure.Model().(v2.ApiError).Code)
	}
	edit := v2.NewTagEdit()
	edit.SetColorNil()
	edited, _, err := client.TagsAPI.TagsEdit(ctx, added.Data.Id).TagEdit(*edit).Execute()
	check(err)
	if edited.Data.Color.Get() == nil {
		fmt.Println("color: null")
	}

	login := abilities.NewConfiguration()
	login.Servers = abilities.ServerConfigurations{{URL: os.Getenv("SITEFLEET_URL") + "/abilities/v1"}}
	user := abilities.BasicAuth{UserName: os.Getenv("SITEFLEET_USER"), Password: os.Getenv("SITEFLEET_PASSWORD")}
	ctx = context.WithValue(ctx, abilities.ContextBasicAuth, user)
	input := abilities.NewGetSiteInput(abilities.SiteRef{String: &address.Host})
	body := abilities.NewGetSiteBody(*input)
	site, _, err := abilities.NewAPIClient(login).SitesAPI.GetSiteV1(ctx).GetSiteBody(*body).Execute()
	check(err)
	fmt.Println("ability:", site.Id)

	ctx = context.Background()
	csv, _, err := client.TimeTrackerAPI.TimeTrackerTasksExport(ctx).Execute()
	check(err)
	fmt.Println("csv:", strings.Split(csv, ",")[0])
	// The response has the bytes; the first result is a text.
	preview := client.ReportTemplatesAPI.ReportTemplatesPreview(ctx, "care-plan")
	_, file, err := preview.StartDate("2026-11-01").EndDate("2026-11-30").Format("pdf").Execute()
	check(err)
	pdf, err := io.ReadAll(file.Body)
	check(err)
	fmt.Printf("pdf: %d bytes\n", len(pdf))

	// The result of each site, or a queued job if there are more sites than a call waits for.
	synced, _, err := client.SitesAPI.SitesSyncAll(ctx).FleetSelection(*v2.NewFleetSelection()).Execute()
	check(err)
	if synced.SitesSynced == nil || synced.FleetQueued != nil {
		log.Fatal("The results of a sync are read as another kind.")
	}

	// A later release can add fields to responses.
	record, err := json.Marshal(added.Data)
	check(err)
	later := strings.Replace(string(record), "{", `{"added_later":true,`, 1)
	check(json.Unmarshal([]byte(later), &v2.Tag{}))

	started, _, err := client.SchedulesAPI.SchedulesRun(ctx, "daily-sync").Execute()
	check(err)
	job, _, err := client.JobsAPI.JobsGet(ctx, started.Data.Get().JobId).Execute()
	check(err)
	for job.Data.CompletedAt.Get() == nil {
		time.Sleep(100 * time.Millisecond)
		job, _, err = client.JobsAPI.JobsGet(ctx, started.Data.Get().JobId).Execute()
		check(err)
	}
	fmt.Println("job:", job.Data.Status)
	fmt.Println("unknown type:", job.Data.Type)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
