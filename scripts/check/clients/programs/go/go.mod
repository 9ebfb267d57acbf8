module program

go 1.23

require (
	sitefleet.example/go/abilities v0.0.0
	sitefleet.example/go/v2 v2.0.0
)

require gopkg.in/validator.v2 v2.0.1 // indirect

replace (
	sitefleet.example/go/abilities => ./abilities
	sitefleet.example/go/v2 => ./v2
)
