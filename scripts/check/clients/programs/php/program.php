<?php

use Sitefleet\Abilities;
use Sitefleet\V2;

spl_autoload_register(static function (string $class): void {
    [, $surface, $path] = explode('\\', $class, 3);
    require strtolower($surface) . '/lib/' . str_replace('\\', '/', $path) . '.php';
});

$config = (new V2\Configuration())
    ->setHost(getenv('SITEFLEET_URL') . '/api/v2')
    ->setAccessToken(getenv('SITEFLEET_API_KEY'));
$http = new GuzzleHttp\Client();
$sites = new V2\Api\SitesApi($http, $config);
$tags = new V2\Api\TagsApi($http, $config);

$first = $sites->sitesList(per_page: 2);
$second = $sites->sitesList(per_page: 2, page: 2);
echo "{$first->getTotal()} sites\n";
foreach ([$first, $second] as $page) {
    $ids = array_map(static fn (V2\Model\Site $site): int => $site->getId(), $page->getData());
    echo "page {$page->getPage()}: ", implode(', ', $ids), "\n";
}

$byId = $sites->sitesGet('1')->getData();
$url = parse_url($byId->getUrl());
$domain = "{$url['host']}:{$url['port']}";
echo "by ID: {$byId->getId()}\n";
echo "by domain: {$sites->sitesGet($domain)->getData()->getId()}\n";

$tag = new V2\Model\TagAdd(['name' => 'care plan', 'color' => '#1a73e8']);
$added = $tags->tagsAdd($tag)->getData();
try {
    $tags->tagsAdd($tag);
} catch (V2\ApiException $error) {
    echo "{$error->getCode()} {$error->getResponseObject()->getCode()}\n";
}
$edited = $tags->tagsEdit($added->getId(), new V2\Model\TagEdit(['color' => null]))->getData();
echo 'color: ', json_encode($edited->getColor()), "\n";

$config = (new Abilities\Configuration())
    ->setHost(getenv('SITEFLEET_URL') . '/abilities/v1')
    ->setUsername(getenv('SITEFLEET_USER'))
    ->setPassword(getenv('SITEFLEET_PASSWORD'));
$ability = new Abilities\Api\SitesApi($http, $config);
$input = new Abilities\Model\GetSiteInput(['site_id_or_domain' => $domain]);
$site = $ability->getSiteV1(new Abilities\Model\GetSiteBody(['input' => $input]));
echo "ability: {$site->getId()}\n";

$config = $sites->getConfig();
$csv = (new V2\Api\TimeTrackerApi($http, $config))->timeTrackerTasksExport();
echo 'csv: ', strtok($csv, ','), "\n";
$pdf = (new V2\Api\ReportTemplatesApi($http, $config))->reportTemplatesPreview(
    start_date: '2026-11-01', // not a DateTime, which the client cannot write into a query
    end_date: '2026-11-30',
    template_key: 'care-plan',
    format: 'pdf',
);
echo 'pdf: ', strlen($pdf), " bytes\n";

$jobs = new V2\Api\JobsApi($http, $config);
$id = (new V2\Api\SchedulesApi($http, $config))->schedulesRun('daily-sync')->getData()->getJobId();
while (($job = $jobs->jobsGet($id)->getData())->getCompletedAt() === null) {
    usleep(100_000);
}
echo "job: {$job->getStatus()}\n";
echo "unknown type: {$job->getType()}\n";
