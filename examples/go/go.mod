module application

go 1.19
