package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ogen-go/ogen/ogenerrors"

	"program/abilities"
	"program/v2"
)

type apiKey struct{}

func (apiKey) Bearer(context.Context, v2.OperationName) (v2.Bearer, error) {
	return v2.Bearer{Token: os.Getenv("SITEFLEET_API_KEY")}, nil
}

func (apiKey) Basic(context.Context, v2.OperationName) (v2.Basic, error) {
	return v2.Basic{}, ogenerrors.ErrSkipClientSecurity
}

type login struct{}

func (login) Basic(context.Context, abilities.OperationName) (abilities.Basic, error) {
	return abilities.Basic{Username: os.Getenv("SITEFLEET_USER"), Password: os.Getenv("SITEFLEET_PASSWORD")}, nil
}

func (login) Bearer(context.Context, abilities.OperationName) (abilities.Bearer, error) {
	return abilities.Bearer{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	client := must(v2.NewClient(os.Getenv("SITEFLEET_URL")+"/api/v2", apiKey{}))

	pages := []v2.SitesList{}
	for page := 1; page <= 2; page++ {
		params := v2.SitesListParams{Page: v2.NewOptInt(page), PerPage: v2.NewOptInt(2)}
		pages = append(pages, must(client.SitesList(ctx, params)).(*v2.SitesListHeaders).Response)
	}
	fmt.Println(pages[0].Total, "sites")
	for _, page := range pages {
		fmt.Printf("page %d: %d, %d\n", page.Page, page.Data[0].ID, page.Data[1].ID)
	}

	byId := must(client.SitesGet(ctx, v2.SitesGetParams{IDOrDomain: "1"})).(*v2.SiteReadHeaders).Response.Data
	domain := must(url.Parse(string(byId.URL))).Host
	byDomain := must(client.SitesGet(ctx, v2.SitesGetParams{IDOrDomain: domain})).(*v2.SiteReadHeaders).Response.Data
	fmt.Println("by ID:", byId.ID)
	fmt.Println("by domain:", byDomain.ID)

	tag := &v2.TagAdd{Name: "care plan", Color: v2.NewOptNilTagColorInput("#1a73e8")}
	added := must(client.TagsAdd(ctx, tag, v2.TagsAddParams{})).(*v2.TagWrittenHeaders).Response.Data
	switch again := must(client.TagsAdd(ctx, tag, v2.TagsAddParams{})).(type) {
	case *v2.TagsAddConflict:
		fmt.Println(409, again.Code)
	}
	edit := &v2.TagEdit{}
	edit.Color.SetToNull()
	params := v2.TagsEditParams{TagID: int(added.ID)}
	edited := must(client.TagsEdit(ctx, edit, params)).(*v2.TagWrittenHeaders).Response.Data
	if edited.Color.IsNull() {
		fmt.Println("color: null")
	}

	ability := must(abilities.NewClient(os.Getenv("SITEFLEET_URL")+"/abilities/v1", login{}))
	body := &abilities.GetSiteBody{Input: abilities.GetSiteInput{SiteIDOrDomain: abilities.NewStringSiteRef(domain)}}
	site := must(ability.GetSiteV1(ctx, body, abilities.GetSiteV1Params{})).(*abilities.SiteDetailHeaders).Response
	fmt.Println("ability:", site.ID)

	tasks := must(client.TimeTrackerTasksExport(ctx, v2.TimeTrackerTasksExportParams{})).(*v2.TimeTrackerTasksExportOK)
	fmt.Println("csv:", strings.Split(string(must(io.ReadAll(tasks))), ",")[0])
	preview := must(client.ReportTemplatesPreview(ctx, v2.ReportTemplatesPreviewParams{
		TemplateKey: "care-plan",
		StartDate:   time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		EndDate:     time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		Format:      v2.NewOptReportTemplatesPreviewFormat(v2.ReportTemplatesPreviewFormatPdf),
	})).(*v2.ReportTemplatesPreviewOKApplicationPdf)
	fmt.Printf("pdf: %d bytes\n", len(must(io.ReadAll(preview))))

	started := must(client.SchedulesRun(ctx, v2.SchedulesRunParams{Name: "daily-sync"})).(*v2.ScheduleStartedHeaders)
	query := v2.JobsGetParams{JobID: started.Response.Data.Value.JobID}
	job := must(client.JobsGet(ctx, query)).(*v2.JobReadHeaders).Response.Data
	for job.CompletedAt.IsNull() {
		time.Sleep(100 * time.Millisecond)
		job = must(client.JobsGet(ctx, query)).(*v2.JobReadHeaders).Response.Data
	}
	fmt.Println("job:", job.Status)
	fmt.Println("unknown type:", job.Type)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
