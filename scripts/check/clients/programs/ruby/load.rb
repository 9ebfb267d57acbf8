# Loads every file of both clients; each is loaded only on first use otherwise.
%w[abilities v2].each do |surface|
  Dir["#{surface}/lib/**/*.rb"].sort.each { |file| require File.expand_path(file) }
end
