package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"program/abilities"
	"program/v2"
)

func main() {
	ctx := context.Background()
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SITEFLEET_API_KEY"))
		return nil
	}
	client, err := v2.NewClientWithResponses(os.Getenv("SITEFLEET_URL")+"/api/v2", v2.WithRequestEditorFn(key))
	check(err)

	pages := []*v2.SitesList{}
	for page, size := 1, 2; page <= 2; page++ {
		list, err := client.SitesListWithResponse(ctx, &v2.SitesListParams{Page: &page, PerPage: &size})
		check(err)
		pages = append(pages, list.JSON200)
	}
	fmt.Println(pages[0].Total, "sites")
	for _, page := range pages {
		fmt.Printf("page %d: %d, %d\n", page.Page, page.Data[0].Id, page.Data[1].Id)
	}

	byId, err := client.SitesGetWithResponse(ctx, "1", nil)
	check(err)
	address, err := url.Parse(byId.JSON200.Data.Url)
	check(err)
	byDomain, err := client.SitesGetWithResponse(ctx, address.Host, nil)
	check(err)
	fmt.Println("by ID:", byId.JSON200.Data.Id)
	fmt.Println("by domain:", byDomain.JSON200.Data.Id)

	tag := v2.TagAdd{Name: "care plan"}
	tag.Color.Set("#1a73e8")
	added, err := client.TagsAddWithResponse(ctx, nil, tag)
	check(err)
	again, err := client.TagsAddWithResponse(ctx, nil, tag)
	check(err)
	if again.JSON409 != nil {
		fmt.Println(again.StatusCode(), again.JSON409.Code)
	}
	edit := v2.TagEdit{}
	edit.Color.SetNull()
	edited, err := client.TagsEditWithResponse(ctx, added.JSON200.Data.Id, nil, edit)
	check(err)
	if edited.JSON200.Data.Color.IsNull() {
		fmt.Println("color: null")
	}

	login := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(os.Getenv("SITEFLEET_USER"), os.Getenv("SITEFLEET_PASSWORD"))
		return nil
	}
	server := os.Getenv("SITEFLEET_URL") + "/abilities/v1"
	ability, err := abilities.NewClientWithResponses(server, abilities.WithRequestEditorFn(login))
	check(err)
	body := abilities.GetSiteBody{}
	check(body.Input.SiteIdOrDomain.FromSiteRef0(address.Host))
	site, err := ability.GetSiteV1WithResponse(ctx, nil, body)
	check(err)
	fmt.Println("ability:", site.JSON200.Id)

	csv, err := client.TimeTrackerTasksExportWithResponse(ctx, nil)
	check(err)
	fmt.Println("csv:", strings.Split(string(csv.Body), ",")[0])
	var first, last openapi_types.Date
	check(first.UnmarshalText([]byte("2026-11-01")))
	check(last.UnmarshalText([]byte("2026-11-30")))
	format := v2.ReportTemplatesPreviewParamsFormatPdf
	query := &v2.ReportTemplatesPreviewParams{StartDate: first, EndDate: last, Format: &format}
	pdf, err := client.ReportTemplatesPreviewWithResponse(ctx, "care-plan", query)
	check(err)
	fmt.Printf("pdf: %d bytes\n", len(pdf.Body))

	started, err := client.SchedulesRunWithResponse(ctx, "daily-sync", nil)
	check(err)
	id := started.JSON200.Data.MustGet().JobId
	job, err := client.JobsGetWithResponse(ctx, id, nil)
	check(err)
	for job.JSON200.Data.CompletedAt.IsNull() {
		time.Sleep(100 * time.Millisecond)
		job, err = client.JobsGetWithResponse(ctx, id, nil)
		check(err)
	}
	fmt.Println("job:", job.JSON200.Data.Status)
	fmt.Println("unknown type:", job.JSON200.Data.Type)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
